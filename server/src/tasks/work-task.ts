import { Failure } from '../domain/failure.ts'
import type { ProxyRoute } from '../domain/proxy/proxy.ts'
import { findProxyFaults, outcomeOfFailure, outcomeOfPage } from '../domain/proxy/proxy-outcome.ts'
import type { AttemptTimings, Page } from '../domain/scrape/page.ts'
import { proxyRequirementsOf, type ScrapeRequest } from '../domain/scrape/scrape-request.ts'
import { retryAfterSeconds } from '../domain/service/retry-after.ts'
import {
  type AttemptOutcome,
  type AttemptRecord,
  decideAfterAttempt,
  taskMsMax,
} from '../domain/task/attempt.ts'
import type { TaskLane } from '../domain/task/lane.ts'
import { crashesMax, type Task, type TaskError, type TaskProgress } from '../domain/task/task.ts'
import type { ContentThreads } from '../formats/content-threads.ts'
import type { Content } from '../formats/present.ts'
import type { Lease } from '../queue/lease.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import { withDeadline } from '../runtime/deadline.ts'
import type { Log } from '../runtime/log.ts'
import type { BudgetShare, MemoryBudget } from '../runtime/memory-budget.ts'
import type { Sealer } from '../runtime/seal.ts'
import type { Database } from '../storage/database.ts'
import { requireStoreKey } from '../storage/key-rotation.ts'
import { getTaskToWorkOn, recordAttempts } from '../storage/tasks-table.ts'
import { presentJob, realtimeForm, toResult } from './kept-results.ts'
import type { ProxyPool, ProxyUse } from './proxy-pool.ts'
import { requireProxy } from './require-proxy.ts'
import type { Settler } from './settle.ts'
import type { TaskLinks } from './task-links.ts'

/** An engine that fetches pages; results, metrics and its lane use its name. */
export interface PageFetcher {
  name: TaskLane
  fetch(request: FetchRequest): Promise<{ page: Page; timings: AttemptTimings }>
}

interface FetchRequest extends ScrapeRequest {
  signal: AbortSignal
  /** Resolves when there is memory for a response of this size; small ones need not reserve. */
  reserveMemory(bytes: number): Promise<void>
  /** Whether the timings are reported (`debug`). */
  isMeasured: boolean
  /** Undefined only when no proxies are configured. */
  proxy: ProxyRoute | undefined
}

export interface TaskWorkerParts {
  db: Database
  sealer: Sealer
  log: Log
  contents: ContentThreads
  settler: Settler
  links: TaskLinks
  proxies: Pick<ProxyPool, 'isEmpty' | 'fits' | 'choose' | 'blame'>
}

interface LaneParts {
  engine: PageFetcher
  /** Memory for large responses, reserved from the first byte until the result is stored. */
  memoryBudget: MemoryBudget
  onEnded(task: Task & TaskProgress): void
}

/** One attempt: its outcome, the fetched page if any, and the record for the log. */
interface Attempt {
  outcome: AttemptOutcome
  fetched: { page: Page; content: Content } | undefined
  record: AttemptRecord
}

/** Runs a queue entry of a task lane: one attempt, then the task ends or is retried. */
export function createTaskWorker(parts: TaskWorkerParts, lane: LaneParts) {
  const { db, settler } = parts
  const { engine } = lane

  return async (lease: Lease, preloaded: Task | undefined): Promise<void> => {
    const task = preloaded ? { ...preloaded, ...fresh } : await load(lease.workId)
    crashPoint('after_claim')
    if (task?.state !== 'open') await lease.settle([])
    else if (task.isUnreadable) await endUnreadable(lease, task)
    // The realtime caller lost its connection when the process died; nobody waits for the result.
    else if (task.kind === 'realtime' && lease.crashes > 0) {
      await settler.cancel(task, { isReported: false })
    } else if (lease.crashes >= crashesMax)
      await end(lease, { ...task, error: poisonTaskErrors[engine.name] })
    else await work(lease, task)
  }

  async function load(id: string): Promise<(Task & TaskProgress) | undefined> {
    const [task] = await db.run(getTaskToWorkOn(parts.sealer, id))
    return task
  }

  async function endUnreadable(lease: Lease, task: Task & TaskProgress): Promise<void> {
    await requireStoreKey(parts)
    await end(lease, { ...task, error: cannotDecrypt })
  }

  async function work(lease: Lease, task: Task & TaskProgress): Promise<void> {
    using memory = lane.memoryBudget.open()
    const { outcome, fetched, record } = await attempt(parts, engine, lease, { task, memory })
    crashPoint('after_fetch')
    for (const failed of findProxyFaults(record, task.attemptLog)) parts.proxies.blame(failed)
    const attempts = task.attempts + 1
    const attemptLog = [...task.attemptLog, record]
    const nowMs = db.nowMs()
    const next = decideAfterAttempt({
      outcome,
      attemptsMade: attempts,
      retries: task.request.options.retries,
      elapsedMs: nowMs - lease.startedAtMs,
      proxy: record.proxy,
      earlier: task.attemptLog,
      random: Math.random(),
    })
    if (next.kind === 'retry') {
      await lease.postpone(nowMs + next.afterMs, [
        recordAttempts({ id: task.id, attempts, attemptLog }),
      ])
      return
    }
    const error = outcome.kind === 'failure' ? outcome : null
    await end(lease, { ...task, attempts, attemptLog, error }, fetched)
  }

  async function end(
    lease: Lease,
    task: Task & TaskProgress,
    fetched?: Attempt['fetched'],
  ): Promise<void> {
    const { error } = task
    const ended = {
      ...task,
      state: error ? ('failed' as const) : ('completed' as const),
      error: error && { code: error.code, message: error.message },
      startedAtMs: lease.startedAtMs,
      completedAtMs: db.nowMs(),
    }
    const result = fetched ? toResult(parts.links, task, { ...fetched, engine: engine.name }) : null
    const isEnded = await settler.end(lease, { task: ended, result }, fetched?.page)
    if (isEnded) lane.onEnded(ended)
  }
}

const fresh = {
  state: 'open' as const,
  attempts: 0,
  attemptLog: [],
  error: null,
  startedAtMs: null,
  completedAtMs: null,
}

const cannotDecrypt: TaskError = {
  code: 'INTERNAL_ERROR',
  message:
    'The stored request cannot be decrypted with the keys of this service, so it was not run. Submit it again.',
}

const crashedTooOften = `The process died ${crashesMax} times while it worked on this task, so it is not tried again.`

const poisonTaskErrors: Record<TaskLane, TaskError> = {
  http: { code: 'INTERNAL_ERROR', message: crashedTooOften },
  browser: { code: 'BROWSER_CRASHED', message: crashedTooOften },
}

/** Fetches and presents the page; every expected failure becomes an outcome. */
async function attempt(
  { db, log, contents, proxies }: TaskWorkerParts,
  engine: PageFetcher,
  lease: Lease,
  { task, memory }: { task: Task & TaskProgress; memory: BudgetShare },
): Promise<Attempt> {
  const { request } = task
  const startedAtMs = db.nowMs()
  const ofTaskMs = taskMsMax - (startedAtMs - lease.startedAtMs)
  const leftMs = Math.max(1, Math.min(request.timeoutMs, ofTaskMs))
  using use = takeProxy(proxies, task)
  const begun = {
    engine: engine.name,
    proxy: use?.route.label ?? null,
    startedAtMs,
    queueMs: queuedMs(task, startedAtMs),
  }
  let timings: AttemptTimings | null = null
  try {
    // Checked again: the process that accepted the task may have had another list of proxies.
    if (!use) requireProxy(proxies, request)
    const visit = await engine.fetch({
      ...request,
      timeoutMs: leftMs,
      signal: lease.signal,
      reserveMemory: memory.reserve,
      isMeasured: request.options.debug,
      proxy: use?.route,
    })
    timings = visit.timings
    const { page } = visit
    use?.release(outcomeOfPage(page.statusCode, timings))
    const form = task.kind === 'realtime' ? realtimeForm(task) : 'embedded'
    // The deadline of the attempt includes presenting, which must not occupy the slot for longer.
    const content = await withDeadline(
      (signal) => contents.present(presentJob(task, page, form), signal),
      {
        ms: leftMs - (db.nowMs() - startedAtMs),
        signal: lease.signal,
        late: () => new Failure('TARGET_TIMEOUT', presentTimeout),
      },
    )
    const nowMs = db.nowMs()
    const { statusCode, headers } = page
    const waitSeconds = retryAfterSeconds(headers['retry-after'], nowMs)
    return {
      outcome: { kind: 'page', statusCode, retryAfterSeconds: waitSeconds },
      fetched: { page, content },
      record: { ...begun, outcome: 'page', statusCode, durationMs: nowMs - startedAtMs, timings },
    }
  } catch (error) {
    if (lease.signal.aborted) throw error
    const failure = toFailure(error, log)
    const { code, message } = failure
    const durationMs = db.nowMs() - startedAtMs
    use?.release(outcomeOfFailure(failure))
    return {
      outcome: { kind: 'failure', code, message },
      fetched: undefined,
      record: { ...begun, outcome: code, statusCode: null, durationMs, timings },
    }
  }
}

/** Prefers a proxy that the task has not tried; undefined when no configured one fits. */
const takeProxy = (
  proxies: TaskWorkerParts['proxies'],
  { request, attemptLog }: Task & TaskProgress,
): ProxyUse | undefined => {
  const tried = attemptLog.flatMap(({ proxy }) => proxy ?? [])
  return proxies.choose(proxyRequirementsOf(request.options), tried)
}

const presentTimeout = 'The response could not be presented before the deadline. Raise timeout_ms.'

/** The time in the queue, since the task was accepted or the previous attempt ended. */
function queuedMs({ createdAtMs, attemptLog }: Task & TaskProgress, nowMs: number): number {
  const before = attemptLog.at(-1)
  return nowMs - (before ? before.startedAtMs + before.durationMs : createdAtMs)
}

function toFailure(error: unknown, log: Log): Failure {
  if (error instanceof Failure) return error
  log.error({ err: error }, 'An attempt failed with an unexpected error.')
  return new Failure('INTERNAL_ERROR', 'An internal error occurred. Retry the request.')
}
