import { Failure } from '../domain/failure.ts'
import { engineFor } from '../domain/scrape/choose-engine.ts'
import type { ScrapeRequest } from '../domain/scrape/scrape-request.ts'
import type { TaskLane } from '../domain/task/lane.ts'
import type { Task } from '../domain/task/task.ts'
import type { EventReporter } from '../events/event-hub.ts'
import type { EgressGuard } from '../outbound/guard/egress-guard.ts'
import type { Depths } from '../queue/depths.ts'
import type { LaneProducer } from '../queue/queue.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import type { Database } from '../storage/database.ts'
import { RequirementUnmet, type Statement } from '../storage/statement.ts'
import {
  findIdempotencyRecord,
  forgetIdempotencyRecord,
  insertIdempotencyRecord,
} from '../storage/tables/idempotency-records.ts'
import { insertTask } from '../storage/tables/tasks.ts'
import type { AccountLimits } from './account-limits.ts'
import type { AdmissionControl } from './admission-control.ts'
import type { BrowserAccess } from './browser-access.ts'
import type { ProxyPool } from './proxies/proxy-pool.ts'
import { requireProxy } from './proxies/require-proxy.ts'

/** An idempotency key, and a fingerprint of the request to detect a key reused for another one. */
export interface Idempotency {
  key: string
  fingerprint: string
}

export interface SubmitParts {
  db: Database
  sealer: Sealer
  guard: EgressGuard
  /** Read for every task, because the browser lane may be opened later. */
  lanes: Readonly<Record<TaskLane, LaneProducer<Task>>>
  browserAccess: BrowserAccess
  accountLimits: AccountLimits
  admissionControl: AdmissionControl
  depths: Depths
  proxies: Pick<ProxyPool, 'isEmpty' | 'fits'>
  events: EventReporter
  idempotencyKeptMs: number
}

export interface Accepted {
  id: string
  createdAtMs: number
  /** The request was accepted before; this repeats the first response. */
  isReplay: boolean
}

/** Throws for requests that would certainly fail, without a DNS lookup or the store. */
export function requireRunnable({ guard, proxies }: SubmitParts, request: ScrapeRequest): void {
  guard.requireAllowedUrl(request.url, 'target')
  requireProxy(proxies, request)
}

/** Accepts a task: once this resolves, the task is committed and survives a crash. */
export async function submit(
  parts: SubmitParts,
  task: Task,
  options: {
    idempotency?: Idempotency | undefined
    awaited?: { by: string; untilMs: number } | undefined
    /** Written before the task. */
    first?: readonly Statement<unknown>[] | undefined
  } = {},
): Promise<Accepted> {
  const { db, sealer, lanes, accountLimits, browserAccess, admissionControl, depths } = parts
  const { id, accountId, createdAtMs, request } = task
  const { awaited, idempotency } = options
  const lane = engineFor(request.options)
  try {
    if (lane === 'browser') await browserAccess.requireBrowser(request.options)
    // Checked when the request arrived, too; concurrent requests may have filled the queue since.
    admissionControl.requireQueueCapacity('task', accountId)
  } catch (refusal) {
    const before = idempotency && (await findAccepted(parts, accountId, idempotency))
    if (before) return before
    throw refusal
  }
  const entering = depths.enter(lane, accountId)
  const concurrencyKey = accountLimits.keyOf(lane, accountId)
  const pending = lanes[lane].enqueue({
    id,
    workId: id,
    accountId,
    jobId: task.job?.id,
    concurrencyKey,
    awaited,
  })
  const first = [
    ...(idempotency ? onlyOnce(parts, task, idempotency) : []),
    ...(options.first ?? []),
  ]
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
    // The key expired between the two reads. To the caller this is the same as a running request.
    throw keyInUse()
  }
  // Before a worker of this process begins it.
  parts.events.taskChanged(task, 'queued')
  pending.committed(task)
  entering.committed()
  return { id, createdAtMs, isReplay: false }
}

export const keyInUse = () =>
  new Failure('CONFLICT', 'A request with this key is in progress. Retry in a moment.')

/** Statements that hold only for the first task or job with this key. */
export function onlyOnce(
  { sealer, idempotencyKeptMs }: Pick<SubmitParts, 'sealer' | 'idempotencyKeptMs'>,
  { id, accountId, createdAtMs }: Pick<Task, 'id' | 'accountId' | 'createdAtMs'>,
  { key, fingerprint }: Idempotency,
): Statement<unknown>[] {
  const record = { accountId, key, fingerprint, taskId: id, nowMs: createdAtMs }
  return [
    forgetIdempotencyRecord({ accountId, key, createdBeforeMs: createdAtMs - idempotencyKeptMs }),
    insertIdempotencyRecord(sealer, record).required('a new key'),
  ]
}

/** The response to the first request with this key, if there was one. */
export async function findAccepted(
  { db, sealer }: Pick<SubmitParts, 'db' | 'sealer'>,
  accountId: string,
  { key, fingerprint }: Idempotency,
): Promise<Accepted | undefined> {
  const [record] = await db.run(findIdempotencyRecord(sealer, { accountId, key }))
  if (!record) return undefined
  if (record.fingerprint !== fingerprint) throw new IdempotencyKeyReused()
  return { id: record.taskId, createdAtMs: record.createdAtMs, isReplay: true }
}

/** The `Idempotency-Key` was used before for a request with another body. */
export class IdempotencyKeyReused extends Error {}
