import type { Queue } from '../queue/queue.ts'
import type { Sealer } from '../runtime/seal.ts'
import type { Database } from '../storage/database.ts'
import { notify } from '../storage/statement.ts'
import { getTaskToWorkOn } from '../storage/tasks-table.ts'
import type { Settler } from './settle.ts'

/** The channel on which whoever works on a task hears that nobody wants it any more. */
export const cancelledChannel = 'task_cancelled'

/** Ends a task whose caller is gone; nobody is told. */
export async function abandonTask(
  parts: { db: Database; sealer: Sealer; queue: Queue; settler: Settler },
  taskId: string,
): Promise<void> {
  const [task] = await parts.db.run(getTaskToWorkOn(parts.sealer, taskId))
  if (task && (await parts.settler.cancel(task, { isTold: false }))) await endWork(parts, taskId)
}

/** Whoever works on it, here or elsewhere, stops; what is written later would be refused anyway. */
export async function endWork(
  { db, queue }: { db: Database; queue: Queue },
  taskId: string,
): Promise<void> {
  queue.abortWork(taskId)
  await db.run(notify(cancelledChannel, taskId))
}
