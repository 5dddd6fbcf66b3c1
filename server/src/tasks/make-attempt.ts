import { Failure } from '../domain/failure.ts'
import type { KeptProxy, ProxyRoute } from '../domain/proxy/proxy.ts'
import { outcomeOfFailure, outcomeOfPage, proxyToKeep } from '../domain/proxy/proxy-outcome.ts'
import { type CookieSession, sessionAfter } from '../domain/scrape/cookie-session.ts'
import type { Handover, PageVerdict } from '../domain/scrape/engine-reason.ts'
import type { JarCookie } from '../domain/scrape/jar-cookie.ts'
import type { AttemptTimings, Page } from '../domain/scrape/page.ts'
import { proxyRequirementsOf, type ScrapeRequest } from '../domain/scrape/scrape-request.ts'
import { retryAfterSeconds } from '../domain/service/retry-after.ts'
import type { AttemptOutcome, AttemptRecord } from '../domain/task/attempt.ts'
import { isAuto, isJudged, leavesFiles, verdictOn } from '../domain/task/handover.ts'
import type { TaskLane } from '../domain/task/lane.ts'
import { lateConversion } from '../domain/task/late-conversion.ts'
import { isAwaited, type Task, type TaskProgress } from '../domain/task/task.ts'
import { attemptMsMax, isQueueToBlame, lateFor } from '../domain/task/task-time.ts'
import type { EventReporter } from '../events/event-hub.ts'
import type { Content } from '../formats/present.ts'
import type { ContentWorkers } from '../formats/workers/content-workers.ts'
import type { Lease } from '../queue/lease.ts'
import { withDeadline } from '../runtime/deadline.ts'
import type { Log } from '../runtime/log.ts'
import type { Standstills } from '../runtime/machine/standstills.ts'
import type { BudgetShare } from '../runtime/sharing/memory-budget.ts'
import { Stopwatch } from '../runtime/stopwatch.ts'
import type { Database } from '../storage/database.ts'
import type { ProxyPool, ProxyUse } from './proxies/proxy-pool.ts'
import { requireProxy } from './proxies/require-proxy.ts'
import { formFor, pageToPresent } from './results/result-store.ts'

/** An engine that fetches pages; results, metrics and its lane use its name. */
export interface PageFetcher {
  name: TaskLane
  fetch(request: FetchRequest): Promise<FetchResult>
}

interface FetchResult {
  page: Page
  timings: AttemptTimings
  /** The cookies after the visit, where the request had a `jar`. */
  jar?: JarCookie[] | undefined
}

interface FetchRequest extends ScrapeRequest {
  accountId: string
  signal: AbortSignal
  /** Whether a browser that comes upon a file throws a `Failure` with `isFile`. */
  leavesFiles: boolean
  /** Where large responses reserve memory; small ones need not. */
  memory: BudgetShare
  /** Whether the timings are reported (`debug`). */
  isMeasured: boolean
  /** Undefined only when no proxies are configured. */
  proxy: ProxyRoute | undefined
  /** The cookies of the session, if the request has one. */
  jar: readonly JarCookie[] | undefined
}

export interface AttemptParts {
  db: Database
  log: Log
  contents: ContentWorkers
  proxies: Pick<ProxyPool, 'isEmpty' | 'fits' | 'choose'>
  events: EventReporter
  standstills: Pick<Standstills, 'hasStoodStill'>
}

/** One attempt: its outcome, the fetched page if any, and the record for the log. */
export interface Attempt {
  outcome: AttemptOutcome
  fetched: Fetched | undefined
  record: AttemptRecord
  /** The session as it is to be stored; undefined where no response arrived. */
  session: CookieSession | undefined
  /** Set where the other engine should continue the attempt. */
  handover?: Handover | undefined
  /** It failed while the process stood still, so nobody else is to blame. */
  stoodStill?: boolean
}

export interface Fetched {
  page: Page
  content: Content
  /** Only on an HTTP response that decides whether a browser visits the page. */
  verdict: PageVerdict | undefined
}

interface AttemptOrder {
  task: Task & TaskProgress
  lease: Lease
  memory: BudgetShare
  session: Readonly<CookieSession> | undefined
}

/** Fetches and presents the page; every expected failure becomes an outcome. */
export async function makeAttempt(
  parts: AttemptParts,
  engine: PageFetcher,
  order: AttemptOrder,
): Promise<Attempt> {
  const { db } = parts
  const { task, lease, session } = order
  const startedAtMs = db.nowMs()
  const beganAtMs = performance.now()
  parts.events.taskChanged(task, 'processing')
  using use = takeProxy(parts.proxies, task, session)
  const begun = {
    engine: engine.name,
    proxy: use?.route.label ?? null,
    startedAtMs,
    queueMs: queuedMs(task, startedAtMs),
  }
  const got: Progress = { timings: null, session: undefined, waiting: new Stopwatch() }
  try {
    const fetched = await fetchAndPresent(parts, engine, order, { use, startedAtMs, got })
    const { page, verdict } = fetched
    const nowMs = db.nowMs()
    const { statusCode, headers } = page
    return {
      outcome: {
        kind: 'page',
        statusCode,
        retryAfterSeconds: retryAfterSeconds(headers['retry-after'], nowMs),
      },
      fetched,
      handover: verdict && verdict !== 'static' ? handoverFor(verdict, use) : undefined,
      record: { ...begun, ...ended('page', statusCode) },
      session: got.session,
    }
  } catch (error) {
    if (lease.signal.aborted) throw error
    const elapsedMs = (sinceMs: number) => db.elapsedMs(sinceMs)
    const failure = fairFailure(task, { startedAtMs, elapsedMs }, toFailure(error, parts.log))
    const { code, message } = failure
    const isFile = failure.isFile && leavesFiles(task)
    const { timeoutMs } = task.request
    const stoodStill = !isFile && parts.standstills.hasStoodStill(beganAtMs, timeoutMs)
    use?.release(stoodStill ? { kind: 'unknown' } : outcomeOfFailure(failure))
    return {
      outcome: { kind: 'failure', code, message },
      fetched: undefined,
      // A file has been found where a page was expected; nothing has failed.
      record: { ...begun, ...ended(isFile ? 'page' : code, null) },
      handover: isFile ? handoverFor('file', use) : undefined,
      session: got.session,
      stoodStill,
    }
  }

  function ended(outcome: AttemptRecord['outcome'], statusCode: number | null) {
    // The time in the queue of the content threads is not the page's.
    const durationMs = Math.max(0, Math.round(db.elapsedMs(startedAtMs) - got.waiting.ms))
    return { outcome, statusCode, durationMs, timings: got.timings }
  }
}

/** What is known once a response has arrived, even if it cannot be presented. */
interface Progress {
  timings: AttemptTimings | null
  session: CookieSession | undefined
  /** Runs while the page waits for a content thread. */
  waiting: Stopwatch
}

async function fetchAndPresent(
  { db, contents, proxies }: AttemptParts,
  engine: PageFetcher,
  { task, lease, memory, session }: AttemptOrder,
  { use, startedAtMs, got }: { use: ProxyUse | undefined; startedAtMs: number; got: Progress },
): Promise<Fetched> {
  const { request } = task
  const msMax = attemptMsMax(task, (sinceMs) => db.elapsedMs(sinceMs))
  const usedMs = () => db.elapsedMs(startedAtMs)
  // Checked again: the process that accepted the task may have had another list of proxies.
  if (!use) requireProxy(proxies, request)
  const { page, timings, jar } = await engine.fetch({
    ...request,
    accountId: task.accountId,
    options: optionsFor(engine, task),
    timeoutMs: Math.max(1, msMax - usedMs()),
    signal: lease.signal,
    memory,
    isMeasured: request.options.debug,
    leavesFiles: leavesFiles(task),
    proxy: use?.route,
    jar: session?.cookies,
  })
  got.timings = timings
  got.session =
    session &&
    sessionAfter(session, { jar: jar ?? session.cookies, proxy: use?.kept ?? null }, db.nowMs())
  use?.release(outcomeOfPage(page.statusCode, timings))
  const isDecisive = engine.name === 'http' && isJudged(task)
  const toPresent = pageToPresent(task, page, formFor(task))
  const fetchMs = usedMs()
  const { waiting } = got
  const content = await withDeadline(
    (signal) =>
      contents.present(isDecisive ? { ...toPresent, judgedHeaders: page.headers } : toPresent, {
        accountId: task.accountId,
        signal,
        waiting,
      }),
    {
      // The page has come in time. Only a caller who waits has a deadline for what follows, too.
      ms: isAwaited(task) ? msMax - fetchMs : Number.POSITIVE_INFINITY,
      signal: lease.signal,
      late: () =>
        lateConversion({
          fetchMs,
          waitMs: waiting.ms,
          convertMs: usedMs() - fetchMs - waiting.ms,
        }),
    },
  )
  // Content that is no page is not judged and needs no browser.
  const verdict = isDecisive ? verdictOn(page, content.verdict ?? 'static') : undefined
  return { page, content, verdict }
}

const handoverFor = (reason: Handover['reason'], use: ProxyUse | undefined): Handover => ({
  reason,
  proxySession: use?.kept.session ?? null,
})

/** A page that turned out to need a browser is rendered there, though its options did not say so. */
const optionsFor = ({ name }: PageFetcher, task: Task): ScrapeRequest['options'] => {
  const { options } = task.request
  return name === 'browser' && isAuto(task) ? { ...options, js_render: true } : options
}

/**
 * Prefers the session's proxy, then one that the task has not tried; undefined when none fits. The
 * engine that continues an attempt leaves by the same exit, as a site may tie its challenge to it.
 */
const takeProxy = (
  proxies: AttemptParts['proxies'],
  { accountId, request, attemptLog }: Task & TaskProgress,
  session: Readonly<CookieSession> | undefined,
): ProxyUse | undefined => {
  const tried = attemptLog.flatMap(({ proxy }) => proxy ?? [])
  const kept = exitToContinue(attemptLog) ?? proxyToKeep(session?.proxy ?? null, attemptLog)
  return proxies.choose({ accountId, requirements: proxyRequirementsOf(request), tried, kept })
}

function exitToContinue(attemptLog: readonly AttemptRecord[]): KeptProxy | undefined {
  const { proxy: label, handover } = attemptLog.at(-1) ?? {}
  const session = handover?.proxySession
  return label && session ? { label, session } : undefined
}

/** The time in the queue, since the task was accepted or the previous attempt ended. */
function queuedMs({ createdAtMs, attemptLog }: Task & TaskProgress, nowMs: number): number {
  const before = attemptLog.at(-1)
  return nowMs - (before ? before.startedAtMs + before.durationMs : createdAtMs)
}

/** Names the busy service instead of the target, where it took the most of the caller's time. */
function fairFailure(
  task: Task & TaskProgress,
  times: Parameters<typeof isQueueToBlame>[1],
  failure: Failure,
): Failure {
  if (failure.code !== 'TARGET_TIMEOUT' || !isQueueToBlame(task, times)) return failure
  const { code, message } = lateFor(task)
  return new Failure(code, message, { cause: failure })
}

function toFailure(error: unknown, log: Log): Failure {
  if (error instanceof Failure) return error
  log.error({ err: error }, 'An attempt failed with an unexpected error.')
  return new Failure('INTERNAL_ERROR', 'An internal error occurred. Retry the request.')
}
