import type { FailureCode } from '../failure.ts'
import type { ScrapeRequest } from '../scrape/scrape-request.ts'
import type { AttemptRecord } from './attempt.ts'

/** An accepted scrape request. */
export interface Task {
  id: string
  accountId: string
  kind: TaskKind
  callbackUrl: string | null
  callsBackOnFailure: boolean
  request: ScrapeRequest
  metadata: Record<string, unknown> | null
  createdAtMs: number
  /** What was stored cannot be decrypted: `request` has the readable part of the URL alone, the rest is null. */
  isUnreadable?: true
}

/** How the answer reaches the caller: posted later, or awaited on the open connection. */
export type TaskKind = 'callback' | 'realtime'

/** How far a task has come. */
export interface TaskProgress {
  state: TaskState
  attempts: number
  attemptLog: AttemptRecord[]
  error: TaskError | null
  startedAtMs: number | null
  completedAtMs: number | null
}

/** As kept; an open task is queued or processing, which depends on whether it was ever started. */
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

/** A worker that died this often over one task is not given it again. */
export const crashesMax = 3

/** Whom the end of a task is told to. Nobody is called back about what was cancelled. */
export const isCalledBack = (task: Task, end: TaskEnd): boolean =>
  task.kind === 'callback' && (end === 'completed' || (end === 'failed' && task.callsBackOnFailure))

/**
 * When a task's result goes: so long after its end, or after the end of its last delivery. A delivery
 * that is pending holds it.
 */
export function resultExpiresAtMs(
  { completedAtMs }: Pick<TaskProgress, 'completedAtMs'>,
  deliveries: { pendingCount: number; endedAtMs: number | null } | undefined,
  keptMs: number,
): number {
  if (completedAtMs === null || (deliveries?.pendingCount ?? 0) > 0) return Number.POSITIVE_INFINITY
  return Math.max(completedAtMs, deliveries?.endedAtMs ?? 0) + keptMs
}
