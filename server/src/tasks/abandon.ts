import type { Task } from '../domain/task/task.ts'
import { lateFor } from '../domain/task/task-time.ts'
import type { Queue } from '../queue/queue.ts'
import type { Log } from '../runtime/log.ts'
import type { Sealer } from '../runtime/seal.ts'
import type { Database } from '../storage/database.ts'
import { notify } from '../storage/statement.ts'
import { getTaskToWorkOn } from '../storage/tasks-table.ts'
import type { Settler } from './settle.ts'

/** The channel that tells the worker of a task, in any process, that the task was cancelled. */
export const cancelledChannel = 'task_cancelled'

/** Cancels a task whose caller has disconnected; no callback or webhook event is sent. */
export async function abandonTask(
  parts: { db: Database; sealer: Sealer; queue: Queue; settler: Settler },
  taskId: string,
): Promise<void> {
  const [task] = await parts.db.run(getTaskToWorkOn(parts.sealer, taskId))
  if (task && (await parts.settler.cancel(task, { isReported: false })))
    await endWork(parts, taskId)
}

/** A worker ends the task in time by itself; this much later no worker has begun it. */
const expiryGraceMs = 2_000

/** Fails the task if nobody has ended it by its time limit, since its caller would wait on. */
export function expireLater(
  parts: { db: Database; sealer: Sealer; queue: Queue; settler: Settler; log: Log },
  { id, request }: Task,
): Disposable {
  const expire = async () => {
    const [task] = await parts.db.run(getTaskToWorkOn(parts.sealer, id))
    if (task && (await parts.settler.expire(task, lateFor(task)))) {
      await endWork(parts, id)
    }
  }
  const timer = setTimeout(() => {
    expire().catch((error) => parts.log.warn({ err: error, taskId: id }, expiryFailed))
  }, request.timeoutMs + expiryGraceMs)
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

const expiryFailed = 'Failed to end an extraction at its time limit; its caller waits on.'

/** Stops the worker of an ended task, in any process; the store would refuse its result anyway. */
export async function endWork(
  { db, queue }: { db: Database; queue: Queue },
  taskId: string,
): Promise<void> {
  queue.abortWork(taskId)
  await db.run(notify(cancelledChannel, taskId))
}
