import type { CallbackProgress } from '../../domain/delivery/delivery-views.ts'
import { failures } from '../../domain/failure.ts'
import { redactUrl } from '../../domain/redact-url.ts'
import type { ListedTask } from '../../domain/task/listed-task.ts'
import { type Task, taskStatus } from '../../domain/task/task.ts'
import { isoTime, isoTimeOrNull } from '../../runtime/iso-time.ts'
import type { TaskObject } from './responses.ts'

interface TaskWithCallback extends ListedTask, Pick<Task, 'callbackUrl' | 'metadata'> {
  callback: CallbackProgress | null
}

export function toTaskObject(task: TaskWithCallback): TaskObject {
  return {
    requestId: task.id,
    url: redactUrl(task.request.url),
    callbackUrl: task.callbackUrl,
    status: taskStatus(task),
    attempts: task.attempts,
    createdAt: isoTime(task.createdAtMs),
    startedAt: isoTimeOrNull(task.startedAtMs),
    completedAt: isoTimeOrNull(task.completedAtMs),
    metadata: task.metadata,
    error: task.error && { ...task.error, retryable: failures[task.error.code].isRetryable },
    delivery:
      task.request.purpose.kind === 'callback'
        ? toDelivery(task.callback, task.state === 'open')
        : null,
  }
}

/** Without a callback row, the callback of an open task is pending; a finished task had none to send. */
export function toDelivery(
  callback: CallbackProgress | null,
  isOpen: boolean,
): NonNullable<TaskObject['delivery']> {
  if (!callback) return { ...untried, status: isOpen ? 'pending' : 'skipped' }
  return {
    status: callback.state,
    attempts: callback.attempts,
    nextAttemptAt: isoTimeOrNull(callback.nextAttemptAtMs),
    lastStatusCode: callback.lastStatusCode,
    lastError: callback.lastError,
    deliveredAt: isoTimeOrNull(callback.deliveredAtMs),
  }
}

const untried = {
  attempts: 0,
  nextAttemptAt: null,
  lastStatusCode: null,
  lastError: null,
  deliveredAt: null,
}
