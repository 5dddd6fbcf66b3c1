import { Failure } from '../domain/failure.ts'
import { engineFor, type ScrapeRequest } from '../domain/scrape/scrape-request.ts'
import type { TaskLane } from '../domain/task/lane.ts'
import type { Task } from '../domain/task/task.ts'
import type { EgressGuard } from '../outbound/guard/egress-guard.ts'
import type { Depths } from '../queue/depths.ts'
import type { LaneProducer } from '../queue/queue.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import type { Sealer } from '../runtime/seal.ts'
import type { Database } from '../storage/database.ts'
import {
  findIdempotencyRecord,
  forgetIdempotencyRecord,
  insertIdempotencyRecord,
} from '../storage/idempotency-records-table.ts'
import { RequirementUnmet, type Statement } from '../storage/statement.ts'
import { insertTask } from '../storage/tasks-table.ts'
import type { AccountLimits } from './account-limits.ts'
import type { AdmissionControl } from './admission-control.ts'
import type { BrowserAccess } from './browser-access.ts'
import type { ProxyPool } from './proxy-pool.ts'
import { requireProxy } from './require-proxy.ts'

/** A key under which a caller may repeat a request, and what tells one request from another. */
export interface Idempotency {
  key: string
  fingerprint: string
}

export interface SubmitParts {
  db: Database
  sealer: Sealer
  guard: EgressGuard
  /** Read anew for every task: a lane may be opened later. */
  lanes: Readonly<Record<TaskLane, LaneProducer<Task>>>
  browserAccess: BrowserAccess
  accountLimits: AccountLimits
  admissionControl: AdmissionControl
  depths: Depths
  proxies: Pick<ProxyPool, 'isEmpty' | 'fits'>
  idempotencyKeptMs: number
}

export interface Accepted {
  id: string
  createdAtMs: number
  /** The request was accepted before; this is the first answer again. */
  isReplay: boolean
}

/** Refuses at once what can be known to fail without looking anything up. */
export function requireRunnable({ guard, proxies }: SubmitParts, request: ScrapeRequest): void {
  guard.requireAllowedUrl(request.url, 'target')
  requireProxy(proxies, request)
}

/** Accepts a task: when this resolves it is committed, and will be run whatever happens. */
export async function submit(
  parts: SubmitParts,
  task: Task,
  options: {
    idempotency?: Idempotency | undefined
    awaited?: { by: string; untilMs: number } | undefined
  } = {},
): Promise<Accepted> {
  const { db, sealer, lanes, accountLimits, browserAccess, admissionControl, depths } = parts
  const { id, accountId, createdAtMs, request } = task
  const { awaited, idempotency } = options
  const lane = engineFor(request.options)
  try {
    if (lane === 'browser') await browserAccess.requireBrowser(request.options)
    // Asked again although the door has asked: many may have come through it together.
    admissionControl.requireRoom('task', accountId)
  } catch (refusal) {
    const before = idempotency && (await findAccepted(parts, accountId, idempotency))
    if (before) return before
    throw refusal
  }
  const entering = depths.enter(lane, accountId)
  const concurrencyKey = accountLimits.keyOf(lane, accountId)
  const pending = lanes[lane].enqueue({ id, workId: id, accountId, concurrencyKey, awaited })
  const first = idempotency ? onlyOnce(parts, task, idempotency) : []
  try {
    crashPoint('before_accept_commit')
    await db.transaction([...first, insertTask(sealer, task), pending.statement])
    crashPoint('after_accept_commit')
  } catch (error) {
    pending.withdrawn()
    entering.withdrawn()
    if (!(error instanceof RequirementUnmet && idempotency)) throw error
    const before = await findAccepted(parts, accountId, idempotency)
    if (before) return before
    // It ran out between the two looks, which no caller can tell from a request on its way.
    throw new Failure('CONFLICT', 'A request with this key is on its way. Ask again.')
  }
  pending.committed(task)
  entering.committed()
  return { id, createdAtMs, isReplay: false }
}

function onlyOnce(
  { sealer, idempotencyKeptMs }: SubmitParts,
  { id, accountId, createdAtMs }: Task,
  { key, fingerprint }: Idempotency,
): Statement<unknown>[] {
  const record = { accountId, key, fingerprint, taskId: id, nowMs: createdAtMs }
  return [
    forgetIdempotencyRecord({ accountId, key, createdBeforeMs: createdAtMs - idempotencyKeptMs }),
    insertIdempotencyRecord(sealer, record).required('a new key'),
  ]
}

/** What the first request under the key was answered, if there was one. */
async function findAccepted(
  { db, sealer }: SubmitParts,
  accountId: string,
  { key, fingerprint }: Idempotency,
): Promise<Accepted | undefined> {
  const [record] = await db.run(findIdempotencyRecord(sealer, { accountId, key }))
  if (!record) return undefined
  if (record.fingerprint !== fingerprint) throw new KeyUsedForAnother()
  return { id: record.taskId, createdAtMs: record.createdAtMs, isReplay: true }
}

/** The `Idempotency-Key` belongs to a request with another body. */
export class KeyUsedForAnother extends Error {}
