import { extractOrderOf } from '../domain/scrape/scrape-request.ts'
import { isSentBefore, sentBefore } from '../domain/task/sent-before.ts'
import { isRepeatable, notBegun, type Task, type TaskProgress } from '../domain/task/task.ts'
import { lateFor } from '../domain/task/task-time.ts'
import type { EventReporter } from '../events/event-hub.ts'
import type { Queue } from '../queue/queue.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { storeUnavailable } from '../storage/outages/store-unavailable.ts'
import { notify } from '../storage/statement.ts'
import { getTaskToWorkOn } from '../storage/tables/tasks.ts'
import type { FinishedTask } from './results/finished-task.ts'
import type { Settler } from './settle.ts'
import type { WaitingCallers } from './waiting-callers.ts'

/** The channel that tells the worker of a task, in any process, that the task was cancelled. */
export const cancelledChannel = 'task_cancelled'

interface AbandonParts {
  db: Database
  sealer: Sealer
  queue: Queue
  settler: Settler
}

/**
 * Cancels a task whose caller has disconnected; no callback or webhook event is sent. Resolves with the
 * task as it was.
 */
export async function abandonTask(
  parts: AbandonParts,
  taskId: string,
): Promise<(Task & TaskProgress) | undefined> {
  await parts.queue.writeWork(taskId)
  const [task] = await parts.db.run(getTaskToWorkOn(parts.sealer, taskId))
  if (task && (await parts.settler.cancel(task, { isReported: false })))
    await endWork(parts, taskId)
  return task
}

/**
 * Cancels the task of a caller who waits no longer. Resolves with what to tell one who was refused where its
 * request may have been sent: the advice to retry would send it twice.
 */
export async function abandonRefused(
  parts: AbandonParts & { events: EventReporter },
  task: Task,
): Promise<FinishedTask | undefined> {
  const { db, queue } = parts
  // That it is sent is written first, so what is not in the store was not sent either.
  let mayBeSent = !isRepeatable(task) && !queue.isUnwritten(task.id)
  try {
    // In an outage nobody waits until the task can be cancelled, nor knows how far it has come.
    if (queue.isCutOff) throw storeUnavailable(endUnknown)
    const before = await abandonTask(parts, task.id)
    mayBeSent = before !== undefined && isSentBefore(before)
  } catch {
    abandonLater(queue, task.id)
    // Nobody else says it of work that is not in the store.
    parts.events.taskChanged(task, 'cancelled')
  }
  if (!mayBeSent) return undefined
  const failed = { state: 'failed', error: sentBefore, completedAtMs: db.nowMs() } as const
  return { task: { ...task, ...notBegun, ...failed }, result: null }
}

/** Stops the work at this process; the task is cancelled when the store can be written to, if it has the task. */
function abandonLater(queue: Queue, taskId: string): void {
  queue.abortWork(taskId)
  queue.abandon(taskId)
}

/** A worker ends the task in time by itself; this much later no worker has begun it. */
const endingGraceMs = 2_000
const outageCheckMs = 1_000

/**
 * Ends the wait of a caller whose time is over: fails an extraction that no worker has begun, and refuses the
 * caller while the store is away or does not take the task, as nothing can end it before that is over.
 */
export function limitWait(
  parts: AbandonParts & { callers: WaitingCallers; log: Log },
  task: Task,
): Disposable {
  const { queue, callers, log } = parts
  let timer = setTimeout(() => {
    queue.writeWork(task.id).then(expire, (reason) => callers.refuse(task.id, reason))
    refuseInOutage()
  }, task.request.timeoutMs + endingGraceMs)
  return { [Symbol.dispose]: () => clearTimeout(timer) }

  function expire(): void {
    if (!extractOrderOf(task.request)) return
    expireTask(parts, task.id).catch((error) =>
      log.warn({ err: error, taskId: task.id }, expiryFailed),
    )
  }

  function refuseInOutage(): void {
    if (queue.isCutOff) callers.refuse(task.id, storeUnavailable(endUnknown))
    else timer = setTimeout(refuseInOutage, outageCheckMs)
  }
}

const expiryFailed = 'Failed to end an extraction at its time limit; its caller waits on.'
const endUnknown = 'The store does not answer, so the page cannot be delivered. Retry in a moment.'

async function expireTask(parts: AbandonParts, taskId: string): Promise<void> {
  const [task] = await parts.db.run(getTaskToWorkOn(parts.sealer, taskId))
  if (task && (await parts.settler.expire(task, lateFor(task)))) await endWork(parts, taskId)
}

/** Stops the worker of an ended task, in any process; the store would refuse its result anyway. */
export async function endWork(
  { db, queue }: { db: Database; queue: Queue },
  taskId: string,
): Promise<void> {
  queue.abortWork(taskId)
  await db.run(notify(cancelledChannel, taskId))
}
