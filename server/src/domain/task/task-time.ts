import { totalMsMax } from '../scrape/scrape-request.ts'
import type { AttemptRecord } from './attempt.ts'
import { isAwaited, type Task, type TaskError, type TaskProgress } from './task.ts'

type TimedTask = Pick<Task, 'request' | 'createdAtMs'> & Pick<TaskProgress, 'attemptLog'>

/** How long ago a time of the store's clock was, as a process has seen it pass. */
type ElapsedSince = (sinceMs: number) => number

/**
 * How much of its time limit a task has used. A caller who waits counts from the request. Otherwise only
 * work counts, not the queue: an attempt that was lost with its process, in an outage or at a shutdown
 * has no record, so it costs the page nothing.
 */
export const usedMs = (task: TimedTask, elapsedMs: ElapsedSince): number =>
  isAwaited(task) ? elapsedMs(task.createdAtMs) : workedMs(task.attemptLog)

/** How long the next attempt may take. */
export const attemptMsMax = (task: TimedTask, elapsedMs: ElapsedSince): number =>
  Math.max(1, Math.min(task.request.timeoutMs, totalMsMax(task.request) - usedMs(task, elapsedMs)))

const openHoursMax = 24

/**
 * The error of a task that is too old to be tried: its caller's time is over, or crashes and outages
 * have kept it open for a day. A page of a job counts from its first turn, as a crawl may be long.
 */
export function findExpiry(
  task: TimedTask & Pick<Task, 'job'>,
  { startedAtMs, elapsedMs }: { startedAtMs: number; elapsedMs: ElapsedSince },
): TaskError | undefined {
  if (isAwaited(task) && usedMs(task, elapsedMs) >= totalMsMax(task.request)) return lateFor(task)
  if (elapsedMs(task.job ? startedAtMs : task.createdAtMs) < openHoursMax * 3_600_000)
    return undefined
  return { code: 'EXPIRED', message: openTooLong }
}

/** The error of a task whose caller waits, where the service did not end it in time. */
export const lateFor = ({ request }: Pick<Task, 'request'>): TaskError => ({
  code: 'EXPIRED',
  message: `The page was not fetched within ${totalMsMax(request)} ms; the service was busy. Retry in a moment.`,
})

// Timers and the store's clock do not agree to the millisecond.
const clocksDifferMs = 50

/**
 * Whether a caller's time is over mostly because the task waited in our queue, so that the target cannot
 * be blamed for what it did not do in the rest. `startedAtMs` is the beginning of the attempt under way.
 */
export function isQueueToBlame(
  task: TimedTask,
  { startedAtMs, elapsedMs }: { startedAtMs: number; elapsedMs: ElapsedSince },
): boolean {
  const allMs = usedMs(task, elapsedMs)
  if (!isAwaited(task) || allMs + clocksDifferMs < totalMsMax(task.request)) return false
  const workMs = workedMs(task.attemptLog) + elapsedMs(startedAtMs)
  return allMs - workMs >= workMs
}

const openTooLong = `The task was not finished within ${openHoursMax} hours, so it is not tried any more. Submit it again.`

/** The attempts and the backoff between them. */
const workedMs = (attemptLog: readonly Pick<AttemptRecord, 'durationMs' | 'backoffMs'>[]): number =>
  attemptLog.reduce((sum, { durationMs, backoffMs = 0 }) => sum + durationMs + backoffMs, 0)
