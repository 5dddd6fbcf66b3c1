import type { Task, TaskProgress } from '../../domain/task/task.ts'
import { requireStoreKey } from '../../storage/secrets/key-rotation.ts'
import { getTaskToWorkOn } from '../../storage/tables/tasks.ts'
import {
  type ContentForm,
  type FinishedResult,
  readResult,
  type StoredResultParts,
} from './result-store.ts'

/** A task that has ended, with its result if it completed. */
export interface FinishedTask {
  task: Task & TaskProgress
  result: FinishedResult | null
}

/** Reads an ended task from the store; undefined while it is open, or when its result is gone. */
export async function findFinished(
  parts: StoredResultParts,
  taskId: string,
  formFor: (task: Task) => ContentForm,
  signal?: AbortSignal,
): Promise<FinishedTask | undefined> {
  const [task] = await parts.db.run(getTaskToWorkOn(parts.sealer, taskId))
  if (!task || task.state === 'open') return undefined
  if (task.isUnreadable) await requireStoreKey(parts)
  if (task.state !== 'completed') return { task, result: null }
  const result = await readResult(parts, task, formFor(task), signal)
  return result && { task, result }
}
