import { findProxyFaults } from '../domain/proxy/proxy-outcome.ts'
import { extractOrderOf, totalMsMax } from '../domain/scrape/scrape-request.ts'
import { decideAfterAttempt, type NextMove } from '../domain/task/attempt.ts'
import { findBlock } from '../domain/task/find-block.ts'
import type { TaskLane } from '../domain/task/lane.ts'
import { isSentBefore, sentBefore } from '../domain/task/sent-before.ts'
import {
  crashesMax,
  isRepeatable,
  notBegun,
  type Task,
  type TaskError,
  type TaskProgress,
} from '../domain/task/task.ts'
import { findExpiry, usedMs } from '../domain/task/task-time.ts'
import type { Lease } from '../queue/lease.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import type { MemoryBudget } from '../runtime/sharing/memory-budget.ts'
import { requireStoreKey } from '../storage/secrets/key-rotation.ts'
import type { Statement } from '../storage/statement.ts'
import { isJobOpen } from '../storage/tables/jobs.ts'
import { getTaskToWorkOn, recordAttempts } from '../storage/tables/tasks.ts'
import type { TaskLinks } from '../wire/tasks/links.ts'
import type { AccountLimits } from './account-limits.ts'
import type { AutoEngine } from './auto-engine.ts'
import { loadCookieSession, saveCookieSession } from './cookie-sessions.ts'
import type { PageOfJob, ReadJobOfTask } from './job-of-task.ts'
import {
  type Attempt,
  type AttemptParts,
  type Fetched,
  makeAttempt,
  type PageFetcher,
} from './make-attempt.ts'
import type { ProxyPool } from './proxies/proxy-pool.ts'
import { toResult } from './results/result-store.ts'
import type { Settler } from './settle.ts'

export interface TaskWorkerParts extends AttemptParts {
  sealer: Sealer
  settler: Settler
  links: TaskLinks
  proxies: Pick<ProxyPool, 'isEmpty' | 'fits' | 'choose' | 'blame'>
  autoEngine: AutoEngine
  accountLimits: AccountLimits
  readJobOfTask: ReadJobOfTask
}

interface LaneParts {
  engine: PageFetcher
  /** Memory for large responses, reserved from the first byte until the result is stored. */
  memoryBudget: MemoryBudget
  onEnded(task: Task & TaskProgress): void
  onMoved(task: Task, to: TaskLane): void
}

/** Runs a queue entry of a task lane: one attempt, then the task ends or is retried. */
export function createTaskWorker(parts: TaskWorkerParts, lane: LaneParts) {
  const { db } = parts
  const { engine } = lane
  const elapsedMs = (sinceMs: number) => db.elapsedMs(sinceMs)

  return async (lease: Lease, preloaded: Task | undefined): Promise<void> => {
    const task = preloaded ? { ...preloaded, ...notBegun } : await load(lease.workId)
    crashPoint('after_claim')
    if (task?.state !== 'open') await lease.settle([])
    // Its process died, or it waited for its next attempt, when the job was stopped.
    else if (task.isUnwanted) await endUnwanted(parts, lane, lease, task)
    else if (task.isUnreadable) await endUnreadable(lease, task)
    else {
      const error = reasonNotToTry(engine.name, lease, task, elapsedMs)
      await (error ? end(parts, lane, lease, { ...task, error }) : work(lease, task))
    }
  }

  async function load(id: string): Promise<(Task & TaskProgress) | undefined> {
    const [task] = await db.run(getTaskToWorkOn(parts.sealer, id))
    return task
  }

  async function endUnreadable(lease: Lease, task: Task & TaskProgress): Promise<void> {
    await requireStoreKey(parts)
    await end(parts, lane, lease, { ...task, error: cannotDecrypt })
  }

  async function work(lease: Lease, task: Task & TaskProgress): Promise<void> {
    if (engine.name === 'http' && (await parts.autoEngine.skipsHttp(task))) {
      return continueInOtherLane(parts, lane, lease, task)
    }
    using memory = lane.memoryBudget.open(task.accountId)
    const before = await loadCookieSession(parts, task)
    if (!isRepeatable(task) && !(await recordSending(lease, task))) return
    const made = await makeAttempt(parts, engine, { task, lease, memory, session: before })
    crashPoint('after_fetch')
    if (made.stoodStill && isRepeatable(task)) {
      // The attempt leaves no record and is made again.
      return void (await lease.postpone(db.nowMs(), []))
    }
    const { fetched, record, handover } = made
    const also = saveCookieSession(parts, task, made.session)
    const isHandedOver =
      handover &&
      (await lease.throughOutages(() => parts.autoEngine.accepts(task, handover, fetched?.page)))
    if (isHandedOver) {
      const moved = { ...task, attemptLog: [...task.attemptLog, { ...record, handover }] }
      return continueInOtherLane(parts, lane, lease, moved, also)
    }
    for (const failed of findProxyFaults(record, task.attemptLog)) {
      parts.proxies.blame(task.accountId, failed)
    }
    await lease.throughOutages(() => conclude(parts, lane, lease, { task, made, also }))
  }
}

/**
 * Counts the attempt before its request is sent, so that it is not sent again after a crash. False if
 * the lease was lost: another process may have sent it.
 */
async function recordSending(lease: Lease, task: Task & TaskProgress): Promise<boolean> {
  const { id, attempts, attemptLog } = task
  const counted = recordAttempts({ id, attempts: attempts + 1, attemptLog })
  return lease.record([counted])
}

/** Ends the task after an attempt, or schedules the next one. Until the commit it only reads. */
async function conclude(
  parts: TaskWorkerParts,
  lane: LaneParts,
  lease: Lease,
  { task, made, also }: MadeAttempt,
): Promise<void> {
  const { outcome, fetched, record } = made
  const tried = {
    ...task,
    attempts: task.attempts + 1,
    attemptLog: [...task.attemptLog, record],
  }
  const nowMs = parts.db.nowMs()
  const job = task.job && (await parts.readJobOfTask(task))
  const next = decideNext(parts, task, made, job?.pauseMs)
  if (next.kind === 'retry' && task.job && (await isStopped(parts, task.job.id))) {
    return endUnwanted(parts, lane, lease, tried, also)
  }
  if (next.kind === 'retry') {
    const attemptLog = [...task.attemptLog, { ...record, backoffMs: next.afterMs }]
    await lease.postpone(nowMs + next.afterMs, [recordAttempts({ ...tried, attemptLog }), ...also])
    return
  }
  const blocked = fetched && extractOrderOf(task.request) ? blockOf(fetched) : undefined
  const kept = blocked ? undefined : fetched
  const ofJob = await job?.endOfPage(kept && pageOfJob(kept))
  const error = outcome.kind === 'failure' ? outcome : (blocked ?? ofJob?.error ?? null)
  await end(
    parts,
    lane,
    lease,
    { ...tried, error },
    {
      fetched: error ? undefined : fetched,
      also: [...also, ...(ofJob?.statements ?? [])],
    },
  )
}

interface MadeAttempt {
  task: Task & TaskProgress
  made: Attempt
  /** To be written in the commit that records it. */
  also: readonly Statement<unknown>[]
}

async function isStopped({ db }: TaskWorkerParts, jobId: string): Promise<boolean> {
  const [isOpen = true] = await db.run(isJobOpen(jobId))
  return !isOpen
}

/** Whether the task is retried after this attempt, and when. */
function decideNext(
  { db }: TaskWorkerParts,
  task: Task & TaskProgress,
  { outcome, record }: Attempt,
  pauseMs: number | undefined,
): NextMove {
  return decideAfterAttempt({
    outcome,
    attemptsMade: task.attempts + 1,
    retries: task.request.options.retries,
    usedMs: usedMs({ ...task, attemptLog: [...task.attemptLog, record] }, (sinceMs) =>
      db.elapsedMs(sinceMs),
    ),
    totalMsMax: totalMsMax(task.request),
    isRepeatable: isRepeatable(task),
    proxy: record.proxy,
    earlier: task.attemptLog,
    pauseMs,
    random: Math.random(),
  })
}

const blockOf = ({ page, content }: Fetched) => findBlock(page, content.hasChallengeForm)

const pageOfJob = ({ page, content }: Fetched): PageOfJob => ({
  url: page.url,
  links: content.links,
  siteLinks: page.siteLinks,
})

async function end(
  { db, settler, links }: TaskWorkerParts,
  { engine, onEnded }: LaneParts,
  lease: Lease,
  task: Task & TaskProgress,
  { fetched, also }: { fetched?: Fetched | undefined; also?: readonly Statement<unknown>[] } = {},
): Promise<void> {
  const { error } = task
  const ended = {
    ...task,
    state: error ? ('failed' as const) : ('completed' as const),
    error: error && { code: error.code, message: error.message },
    startedAtMs: lease.startedAtMs,
    completedAtMs: db.nowMs(),
  }
  const result = fetched ? toResult(links, task, { ...fetched, engine: engine.name }) : null
  const written = { page: fetched?.page, ...(also && { also }) }
  const isEnded = await settler.end(lease, { task: ended, result }, written)
  if (isEnded) onEnded(ended)
}

/** Ends a task that makes no further attempt because its job was stopped. */
async function endUnwanted(
  { db, settler }: TaskWorkerParts,
  { onEnded }: LaneParts,
  lease: Lease,
  task: Task & TaskProgress,
  also: readonly Statement<unknown>[] = [],
): Promise<void> {
  const cancelled = {
    ...task,
    state: 'cancelled' as const,
    error: null,
    startedAtMs: lease.startedAtMs,
    completedAtMs: db.nowMs(),
  }
  if (await settler.end(lease, { task: cancelled, result: null }, { also })) onEnded(cancelled)
}

/**
 * The task continues in the lane of the other engine, within the same attempt. The log and the entry
 * change in one commit, so a process that dies around it leaves the task ready in one lane or the other.
 */
async function continueInOtherLane(
  parts: TaskWorkerParts,
  lane: LaneParts,
  lease: Lease,
  task: Task & TaskProgress,
  also: readonly Statement<unknown>[] = [],
): Promise<void> {
  const to = otherLane[lane.engine.name]
  const concurrencyKey = parts.accountLimits.keyOf(to, task.accountId)
  const isStarted = task.attemptLog.length > 0
  const statements = [recordAttempts(task), ...also]
  const moved = await lease.move({ lane: to, concurrencyKey, isStarted }, statements)
  if (moved) lane.onMoved(task, to)
}

const otherLane: Record<TaskLane, TaskLane> = { http: 'browser', browser: 'http' }

const cannotDecrypt: TaskError = {
  code: 'INTERNAL_ERROR',
  message:
    'The stored request cannot be decrypted with the keys of this service, so it was not run. Submit it again.',
}

const reasonNotToTry = (
  engine: TaskLane,
  { crashes, startedAtMs }: Lease,
  task: Task & TaskProgress,
  elapsedMs: (sinceMs: number) => number,
): TaskError | undefined => {
  if (crashes >= crashesMax) return poisonTaskErrors[engine]
  return isSentBefore(task) ? sentBefore : findExpiry(task, { startedAtMs, elapsedMs })
}

const crashedTooOften = `The process died ${crashesMax} times while it worked on this task, so it is not tried again.`

const poisonTaskErrors: Record<TaskLane, TaskError> = {
  http: { code: 'INTERNAL_ERROR', message: crashedTooOften },
  browser: { code: 'BROWSER_CRASHED', message: crashedTooOften },
}
