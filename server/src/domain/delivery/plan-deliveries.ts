import { shouldCallBack, type Task, type TaskEnd } from '../task/task.ts'
import type { Delivery } from './delivery.ts'
import type { Webhook } from './webhook.ts'

/** A delivery to make, or one that is only recorded because its webhook is paused. */
export interface PlannedDelivery extends Delivery {
  url: string
  isSkipped: boolean
}

/** The deliveries for the end of a task: its callback first, then the webhooks for the event. */
export function planDeliveries(
  { task, end, webhooks }: { task: Task; end: TaskEnd; webhooks: readonly Webhook[] },
  { nowMs, newId }: { nowMs: number; newId: () => string },
): PlannedDelivery[] {
  const { accountId, callbackUrl } = task
  const common = { accountId, taskId: task.id, createdAtMs: nowMs }
  const callback =
    callbackUrl !== null && shouldCallBack(task, end)
      ? [{ ...common, id: newId(), webhook: undefined, url: callbackUrl, isSkipped: false }]
      : []
  const events = webhooks.map(({ id, eventType, url, isActive }) => ({
    ...common,
    id: newId(),
    webhook: { id, eventType },
    url,
    isSkipped: !isActive,
  }))
  return [...callback, ...events]
}
