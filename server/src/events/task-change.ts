import type { TaskStatus } from '../domain/task/task.ts'
import type { WatchedEvent } from '../wire/events/responses.ts'

/** A task got another status. */
export interface TaskChange {
  taskId: string
  jobId: string | null
  status: TaskStatus
}

export type StatusCounts = Partial<Record<TaskStatus, number>>

/** Above 200 changes a second a list of them helps nobody: this many in a quarter of a second. */
export const namedChangesMax = 50

/**
 * The events of the tasks that changed since the last ones. Where there are too many they are counted,
 * and only those are named that somebody watches by their id. `uncounted` are changes without ids.
 */
export function planTaskEvents(
  changes: readonly TaskChange[],
  { uncounted, watchedIds, at }: PlanFacts,
): WatchedEvent[] {
  const toEvent = ({ taskId, jobId, status }: TaskChange): WatchedEvent => ({
    type: 'task',
    task_id: taskId,
    job_id: jobId,
    status,
    at,
  })
  const isCounted = changes.length > namedChangesMax || Object.keys(uncounted).length > 0
  if (!isCounted) return changes.map(toEvent)
  const counts = { ...uncounted }
  for (const { status } of changes) counts[status] = (counts[status] ?? 0) + 1
  return [
    { type: 'tasks', counts, at },
    ...changes.filter(({ taskId }) => watchedIds.has(taskId)).map(toEvent),
  ]
}

interface PlanFacts {
  uncounted: StatusCounts
  watchedIds: ReadonlySet<string>
  at: string
}
