import type { FailureCode } from '../failure.ts'
import { extractOrderOf } from '../scrape/scrape-request.ts'
import type { AttemptRecord } from './attempt.ts'
import type { TaskLane } from './lane.ts'
import type { Task, TaskProgress } from './task.ts'
import { durationMsOf } from './usage-statistics.ts'

/** What tasks that ended in some time add up to. Any two can be added. */
export interface Activity {
  completed: number
  failed: number
  /** Attempts after the first. */
  retries: number
  /** Tasks by the engine of their last attempt; a task that made none is in neither. */
  engines: Record<TaskLane, number>
  /** Failed tasks by their code. */
  codes: Partial<Record<FailureCode, number>>
  /** Completed tasks by the last HTTP status of the target. */
  statuses: Record<string, number>
  /** Ended tasks by how long they took: a histogram by `durationBucketOf`. */
  durations: Record<string, number>
  /** The most that waited at once; only of a whole account, and only where something did. */
  queue?: QueuePeak
}

/** How long the queue of an account was at its worst. */
export interface QueuePeak {
  waiting: number
  oldestAgeMs: number
}

export const noActivity = (): Activity => ({
  completed: 0,
  failed: 0,
  retries: 0,
  engines: { http: 0, browser: 0 },
  codes: {},
  statuses: {},
  durations: {},
})

/** What one ended task adds; undefined for one that is open, was cancelled or is a page from the cache. */
export function activityOf(task: Task & TaskProgress): Activity | undefined {
  const { state, error, attemptLog, request } = task
  if (state !== 'completed' && state !== 'failed') return undefined
  if (extractOrderOf(request)?.cachedFrom !== undefined) return undefined
  const last: AttemptRecord | undefined = attemptLog.at(-1)
  const activity = noActivity()
  activity[state] = 1
  activity.retries = Math.max(0, task.attempts - 1)
  if (last) activity.engines[last.engine] = 1
  if (state === 'failed' && error) activity.codes[error.code] = 1
  if (state === 'completed' && last?.statusCode) activity.statuses[last.statusCode] = 1
  activity.durations[durationBucketOf(durationMsOf(task))] = 1
  return activity
}

/** Adds the second to the first. */
export function addActivity(sum: Activity, more: Activity): void {
  sum.completed += more.completed
  sum.failed += more.failed
  sum.retries += more.retries
  addCounts(sum.engines, more.engines)
  addCounts(sum.codes, more.codes)
  addCounts(sum.statuses, more.statuses)
  addCounts(sum.durations, more.durations)
  if (more.queue) sum.queue = higherPeak(sum.queue, more.queue)
}

/** Processes count the same queue, so the numbers of two are not added. */
export const higherPeak = (one: QueuePeak | undefined, other: QueuePeak): QueuePeak => ({
  waiting: Math.max(one?.waiting ?? 0, other.waiting),
  oldestAgeMs: Math.max(one?.oldestAgeMs ?? 0, other.oldestAgeMs),
})

function addCounts(sum: Record<string, number>, more: Record<string, number>): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count
}

/** Each bucket is wider than the one before by the square root of two; the last one is open. */
const lastBucket = 40

/** Bucket `n` has the durations up to `durationBucketMsMax(n)`. */
export const durationBucketOf = (ms: number): number =>
  ms <= 1 ? 0 : Math.min(lastBucket, Math.ceil(2 * Math.log2(ms)))

export const durationBucketMsMax = (bucket: number): number => Math.round(2 ** (bucket / 2))

/** The duration that this share of the tasks did not exceed, as exact as the buckets are; null without tasks. */
export function durationAtShare(durations: Activity['durations'], share: number): number | null {
  const buckets = Object.entries(durations)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .sort((one, other) => one.bucket - other.bucket)
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  let seen = 0
  for (const { bucket, count } of buckets) {
    seen += count
    if (seen >= total * share) return durationBucketMsMax(bucket)
  }
  return null
}

const blockingStatuses = ['401', '403', '407', '429']

/** Tasks whose target let nobody in: refused, or asked for a proof of being human. */
export const blockedCountOf = ({ statuses }: Pick<Activity, 'statuses'>): number =>
  blockingStatuses.reduce((sum, status) => sum + (statuses[status] ?? 0), 0)
