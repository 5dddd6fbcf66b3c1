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

/** A way to fetch pages, under the name that results, figures and its lane have. */
export interface PageFetcher {
  name: TaskLane
  fetch(order: PageOrder): Promise<{ page: Page; timings: AttemptTimings }>
}

interface PageOrder extends ScrapeRequest {
  signal: AbortSignal
  /** Resolves when there is memory for an answer of so many bytes; small ones need not ask. */
  reserveMemory(bytes: number): Promise<void>
  /** Whether somebody looks at the timings. */
  isMeasured: boolean
  /** The only way to the target, where proxies are configured. */
  proxy: ProxyRoute | undefined
}

export interface TaskWorkerParts {
  db: Database
  sealer: Sealer
  log: Log
  engine: PageFetcher
  contents: ContentThreads
  settler: Settler
  links: TaskLinks
  /** Memory for large answers, in bytes, from the first byte of one until it is stored. */
  memoryBudget: MemoryBudget
  proxies: Pick<ProxyPool, 'isEmpty' | 'fits' | 'choose' | 'blame'>
  onEnded(task: Task & TaskProgress): void
}

/** What one try brought, and how it is written down. */
interface Attempt {
  outcome: AttemptOutcome
  brought: { page: Page; content: Content } | undefined
  record: AttemptRecord
}

/** What a lane of tasks does with an entry: one attempt, then the end of the task or another turn. */
export function createTaskWorker(parts: TaskWorkerParts) {
  const { db, settler, engine } = parts

  return async (lease: Lease, handed: Task | undefined): Promise<void> => {
    const task = handed ? { ...handed, ...fresh } : await load(lease.workId)
    crashPoint('after_claim')
    if (task?.state !== 'open') await lease.settle([])
    else if (task.isUnreadable) await endUnreadable(lease, task)
    // Whoever waited for the answer was cut off with the process that died.
    else if (task.kind === 'realtime' && lease.crashes > 0) {
      await settler.cancel(task, { isTold: false })
    } else if (lease.crashes >= crashesMax)
      await end(lease, { ...task, error: tookWorkersDown[engine.name] })
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
    using room = parts.memoryBudget.open()
    const { outcome, brought, record } = await attempt(parts, lease, task, room)
    crashPoint('after_fetch')
    for (const outdone of findProxyFaults(record, task.attemptLog)) parts.proxies.blame(outdone)
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
    await end(lease, { ...task, attempts, attemptLog, error }, brought)
  }

  async function end(
    lease: Lease,
    task: Task & TaskProgress,
    brought?: Attempt['brought'],
  ): Promise<void> {
    const { error } = task
    const ended = {
      ...task,
      state: error ? ('failed' as const) : ('completed' as const),
      error: error && { code: error.code, message: error.message },
      startedAtMs: lease.startedAtMs,
      completedAtMs: db.nowMs(),
    }
    const result = brought ? toResult(parts.links, task, { ...brought, engine: engine.name }) : null
    const isEnded = await settler.end(lease, { task: ended, result }, brought?.page)
    if (isEnded) parts.onEnded(ended)
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

const diedTooOften = `The process died ${crashesMax} times while it worked on this task, so it is not tried again.`

const tookWorkersDown: Record<TaskLane, TaskError> = {
  http: { code: 'INTERNAL_ERROR', message: diedTooOften },
  browser: { code: 'BROWSER_CRASHED', message: diedTooOften },
}

/** Fetches the page and tests that it can be read; every expected failure is an outcome. */
async function attempt(
  { db, log, engine, contents, proxies }: TaskWorkerParts,
  lease: Lease,
  task: Task & TaskProgress,
  room: BudgetShare,
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
    // Asked again: the process that accepted it may have had another list.
    if (!use) requireProxy(proxies, request)
    const fetched = await engine.fetch({
      ...request,
      timeoutMs: leftMs,
      signal: lease.signal,
      reserveMemory: room.reserve,
      isMeasured: request.options.debug,
      proxy: use?.route,
    })
    timings = fetched.timings
    const { page } = fetched
    use?.release(outcomeOfPage(page.statusCode, timings))
    const form = task.kind === 'realtime' ? realtimeForm(task) : 'embedded'
    // Presenting counts as well: what takes longer than the attempt may must not keep its slot.
    const content = await withDeadline(
      (signal) => contents.present(presentJob(task, page, form), signal),
      {
        ms: leftMs - (db.nowMs() - startedAtMs),
        signal: lease.signal,
        late: () => new Failure('TARGET_TIMEOUT', presentedTooLate),
      },
    )
    const nowMs = db.nowMs()
    const { statusCode, headers } = page
    const waitSeconds = retryAfterSeconds(headers['retry-after'], nowMs)
    return {
      outcome: { kind: 'page', statusCode, retryAfterSeconds: waitSeconds },
      brought: { page, content },
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
      brought: undefined,
      record: { ...begun, outcome: code, statusCode: null, durationMs, timings },
    }
  }
}

/** Another than those the task has tried, as long as there is one; undefined where none is configured. */
const takeProxy = (
  proxies: TaskWorkerParts['proxies'],
  { request, attemptLog }: Task & TaskProgress,
): ProxyUse | undefined => {
  const tried = attemptLog.flatMap(({ proxy }) => proxy ?? [])
  return proxies.choose(proxyRequirementsOf(request.options), tried)
}

const presentedTooLate =
  'The answer could not be presented in the time that was left; timeout_ms can give it more.'

/** Since it could have been started: when it was accepted, or when the attempt before had ended. */
function queuedMs({ createdAtMs, attemptLog }: Task & TaskProgress, nowMs: number): number {
  const before = attemptLog.at(-1)
  return nowMs - (before ? before.startedAtMs + before.durationMs : createdAtMs)
}

function toFailure(error: unknown, log: Log): Failure {
  if (error instanceof Failure) return error
  log.error({ err: error }, 'A task failed for a reason of ours.')
  return new Failure('INTERNAL_ERROR', 'Something went wrong here. Please try again.')
}
