import { Failure } from '../domain/failure.ts'
import type { ScrapeRequest } from '../domain/scrape/scrape-request.ts'
import type { Task } from '../domain/task/task.ts'
import type { EventReporter } from '../events/event-hub.ts'
import type { EgressGuard } from '../outbound/guard/egress-guard.ts'
import { commitEntries } from '../queue/pending-entries.ts'
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
import {
  type AwaitingCaller,
  beginTask,
  type EnqueueParts,
  enqueueTasks,
  requireCapacity,
  requireEngine,
} from './enqueue-tasks.ts'
import type { ProxyPool } from './proxies/proxy-pool.ts'
import { requireProxy } from './proxies/require-proxy.ts'

/** An idempotency key, and a fingerprint of the request to detect a key reused for another one. */
export interface Idempotency {
  key: string
  fingerprint: string
}

export interface SubmitParts extends EnqueueParts {
  db: Database
  sealer: Sealer
  guard: EgressGuard
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

/** Accepts a task: once this resolves, the task survives a crash unless a caller waits for it. */
export async function submit(
  parts: SubmitParts,
  task: Task,
  { idempotency, caller, first }: SubmitOptions = {},
): Promise<Accepted> {
  const { db, sealer } = parts
  const { accountId, request } = task
  const shared = { accountId, options: request.options }
  return acceptOnce(parts, task, idempotency, async () => {
    await requireEngine(parts, shared)
    requireCapacity(parts, { accountId, count: 1 })
    if (caller && !first && !idempotency && beginTask(parts, task, caller)) return
    const pending = enqueueTasks(parts, { ...shared, tasks: [task] }, caller)
    await commitEntries(pending, async () => {
      crashPoint('before_accept_commit')
      await db.transaction([
        ...onlyOnce(parts, task, idempotency),
        ...(first ?? []),
        insertTask(sealer, task),
        ...pending.statements,
      ])
      crashPoint('after_accept_commit')
      // Before a worker of this process begins it.
      parts.events.taskChanged(task, 'queued')
      return true
    })
  })
}

interface SubmitOptions {
  idempotency?: Idempotency | undefined
  /** Who waits for its end; the task may begin before it is committed then. */
  caller?: AwaitingCaller
  /** Written before the task. */
  first?: readonly Statement<unknown>[] | undefined
}

/** Accepts a task or a job unless one was accepted under the same key, which is returned then. */
export async function acceptOnce(
  parts: Pick<SubmitParts, 'db' | 'sealer'>,
  { id, accountId, createdAtMs }: Pick<Task, 'id' | 'accountId' | 'createdAtMs'>,
  idempotency: Idempotency | undefined,
  enter: () => Promise<void>,
): Promise<Accepted> {
  try {
    await enter()
    return { id, createdAtMs, isReplay: false }
  } catch (refusal) {
    const isOutage = refusal instanceof Failure && refusal.code === 'STORE_UNAVAILABLE'
    if (!idempotency || isOutage) throw refusal
    const before = await findAccepted(parts, accountId, idempotency)
    if (before) return before
    // The key expired between the two reads. To the caller this is the same as a running request.
    throw refusal instanceof RequirementUnmet ? keyInUse() : refusal
  }
}

const keyInUse = () =>
  new Failure('CONFLICT', 'A request with this key is in progress. Retry in a moment.')

/** Statements that hold only for the first task or job with this key; none without a key. */
export function onlyOnce(
  { sealer, idempotencyKeptMs }: Pick<SubmitParts, 'sealer' | 'idempotencyKeptMs'>,
  { id, accountId, createdAtMs }: Pick<Task, 'id' | 'accountId' | 'createdAtMs'>,
  idempotency: Idempotency | undefined,
): Statement<unknown>[] {
  if (!idempotency) return []
  const { key, fingerprint } = idempotency
  const record = { accountId, key, fingerprint, taskId: id, nowMs: createdAtMs }
  return [
    forgetIdempotencyRecord({ accountId, key, createdBeforeMs: createdAtMs - idempotencyKeptMs }),
    insertIdempotencyRecord(sealer, record).required('a new key'),
  ]
}

/** The response to the first request with this key, if there was one. */
async function findAccepted(
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
