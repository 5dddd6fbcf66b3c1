import type { Queue } from '../queue/queue.ts'
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

/** Stops the worker of an ended task, in any process; the store would refuse its result anyway. */
export async function endWork(
  { db, queue }: { db: Database; queue: Queue },
  taskId: string,
): Promise<void> {
  queue.abortWork(taskId)
  await db.run(notify(cancelledChannel, taskId))
}
