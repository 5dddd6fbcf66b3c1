import type { Job, JobEnd } from '../job/job.ts'
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
  const callbackUrl = shouldCallBack(task, end) ? task.callbackUrl : null
  const subject = { kind: 'task', id: task.id } as const
  return plan(
    { accountId: task.accountId, subject, createdAtMs: nowMs },
    callbackUrl,
    webhooks,
    newId,
  )
}

/** The deliveries for the end of a job. */
export function planJobDeliveries(
  { job, end, webhooks }: { job: Job; end: JobEnd; webhooks: readonly Webhook[] },
  { nowMs, newId }: { nowMs: number; newId: () => string },
): PlannedDelivery[] {
  const subject = { kind: 'job', id: job.id, end } as const
  const common = { accountId: job.accountId, subject, createdAtMs: nowMs }
  return plan(common, job.callbackUrl, webhooks, newId)
}

function plan(
  common: Pick<Delivery, 'accountId' | 'subject' | 'createdAtMs'>,
  callbackUrl: string | null,
  webhooks: readonly Webhook[],
  newId: () => string,
): PlannedDelivery[] {
  const callback =
    callbackUrl === null
      ? []
      : [{ ...common, id: newId(), webhook: undefined, url: callbackUrl, isSkipped: false }]
  const events = webhooks.map(({ id, eventType, url, isActive }) => ({
    ...common,
    id: newId(),
    webhook: { id, eventType },
    url,
    isSkipped: !isActive,
  }))
  return [...callback, ...events]
}
