import type { Delivery } from '../domain/delivery.ts'
import type { Task } from '../domain/task.ts'
import { requireStoreKey } from '../storage/key-rotation.ts'
import { getTaskToWorkOn } from '../storage/tasks.ts'
import type { ContentForm, FinishedTask } from './finished-task.ts'
import { readResult, type StoredResultParts } from './stored-result.ts'
import { callbackBody, eventBody } from './task-bodies.ts'

/** A task that has ended, wherever it was worked on; undefined while it has not, or if its result is gone. */
export async function findFinished(
  parts: StoredResultParts,
  taskId: string,
  formFor: (task: Task) => ContentForm,
): Promise<FinishedTask | undefined> {
  const [task] = await parts.db.run(getTaskToWorkOn(parts.sealer, taskId))
  if (!task || task.state === 'open') return undefined
  if (task.isUnreadable) await requireStoreKey(parts)
  if (task.state !== 'completed') return { task, result: null }
  const result = await readResult(parts, task, formFor(task))
  return result && { task, result }
}

/** What a delivery about a task says; undefined once the result is no longer kept. */
export async function deliveryBody(
  parts: StoredResultParts,
  { id, taskId, webhook }: Delivery,
): Promise<Uint8Array | undefined> {
  const finished = await findFinished(parts, taskId, () => 'embedded')
  if (!finished) return undefined
  const { links } = parts
  if (!webhook) return callbackBody(finished, links)
  const event = { name: webhook.eventType, webhookId: webhook.id, deliveryId: id }
  return eventBody(finished, event, links)
}
