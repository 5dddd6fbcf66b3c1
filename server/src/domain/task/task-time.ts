import { totalMsMax } from '../scrape/scrape-request.ts'
import type { AttemptRecord } from './attempt.ts'
import { isAwaited, type Task, type TaskProgress } from './task.ts'

type TimedTask = Pick<Task, 'kind' | 'request' | 'createdAtMs'> & Pick<TaskProgress, 'attemptLog'>

/**
 * How much of its time limit a task has used. A caller who waits counts from the request. Otherwise only
 * work counts, not the queue: an attempt that was lost with its process, in an outage or at a shutdown
 * has no record, so it costs the page nothing.
 */
export const usedMs = (task: TimedTask, nowMs: number): number =>
  isAwaited(task) ? nowMs - task.createdAtMs : workedMs(task.attemptLog)

/** How long the next attempt may take. */
export const attemptMsMax = (task: TimedTask, nowMs: number): number =>
  Math.max(1, Math.min(task.request.timeoutMs, totalMsMax(task.request) - usedMs(task, nowMs)))

/** The attempts and the backoff between them. */
const workedMs = (attemptLog: readonly Pick<AttemptRecord, 'durationMs' | 'backoffMs'>[]): number =>
  attemptLog.reduce((sum, { durationMs, backoffMs = 0 }) => sum + durationMs + backoffMs, 0)
