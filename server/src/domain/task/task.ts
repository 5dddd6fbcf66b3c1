import type { FailureCode } from '../failure.ts'
import { extractOrderOf, type ScrapeRequest } from '../scrape/scrape-request.ts'
import type { AttemptRecord } from './attempt.ts'

/** An accepted scrape request. */
export interface Task {
  id: string
  accountId: string
  callbackUrl: string | null
  callsBackOnFailure: boolean
  request: ScrapeRequest
  metadata: Record<string, unknown> | null
  createdAtMs: number
  /** The job that the task belongs to, and its place in it. */
  job?: { id: string; position: number }
  /** The job was cancelled: the task makes no further attempt. */
  isUnwanted?: true
  /** The stored task cannot be decrypted: `request` has only the readable part of the URL. */
  isUnreadable?: true
}

/** Whether a caller waits for the end of the task on an open connection. */
export const isAwaited = ({ request }: Pick<Task, 'request'>): boolean =>
  request.purpose.kind === 'realtime' || extractOrderOf(request)?.processingMode === 'sync'

/** Whether the request to the target may be sent twice. */
export const isRepeatable = ({ request: { target } }: Pick<Task, 'request'>): boolean =>
  target === undefined || target.method === 'GET'

/** How far a task has come. */
export interface TaskProgress {
  state: TaskState
  attempts: number
  attemptLog: AttemptRecord[]
  error: TaskError | null
  startedAtMs: number | null
  completedAtMs: number | null
}

/** How far a task has come that was just accepted. */
export const notBegun: Readonly<TaskProgress> = Object.freeze({
  state: 'open',
  attempts: 0,
  attemptLog: [],
  error: null,
  startedAtMs: null,
  completedAtMs: null,
})

/** As stored; an open task is queued, or processing once it was started. */
export type TaskState = 'open' | TaskEnd
export type TaskEnd = 'completed' | 'failed' | 'cancelled'

export interface TaskError {
  code: FailureCode
  message: string
}

export const taskStatuses = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const
export type TaskStatus = (typeof taskStatuses)[number]

export const taskStatus = (progress: Pick<TaskProgress, 'state' | 'startedAtMs'>): TaskStatus => {
  if (progress.state !== 'open') return progress.state
  return progress.startedAtMs === null ? 'queued' : 'processing'
}

/** A poison task: after so many workers died while they ran it, the task is not run again. */
export const crashesMax = 3

/** Whether the end of a task is posted to its callback; a cancelled task is not. */
export const shouldCallBack = (task: Task, end: TaskEnd): boolean =>
  task.request.purpose.kind === 'callback' &&
  (end === 'completed' || (end === 'failed' && task.callsBackOnFailure))

/**
 * When the result of a task expires: its TTL counts from the end of the task, of its last delivery or of
 * its job. It does not expire while a delivery is pending or the job runs.
 */
export function resultExpiresAtMs(
  { completedAtMs }: Pick<TaskProgress, 'completedAtMs'>,
  holders: { pendingCount: number; endedAtMs: number | null } | undefined,
  keptMs: number,
): number {
  if (completedAtMs === null || (holders?.pendingCount ?? 0) > 0) return Number.POSITIVE_INFINITY
  return Math.max(completedAtMs, holders?.endedAtMs ?? 0) + keptMs
}
