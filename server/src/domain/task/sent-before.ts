import { isRepeatable, type Task, type TaskError, type TaskProgress } from './task.ts'

/** An attempt is counted but has no record: it began, and its process could not record its end. */
export const isSentBefore = (task: Task & TaskProgress): boolean =>
  !isRepeatable(task) && task.attempts > task.attemptLog.length

export const sentBefore: TaskError = {
  code: 'INTERNAL_ERROR',
  message:
    'The request may have been sent, but its outcome could not be recorded: the process stopped, or the store was away for too long. Only a GET request is sent again.',
}
