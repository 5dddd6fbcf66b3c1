import type { Delivery, DeliveryState, DeliverySubject } from '../../domain/delivery/delivery.ts'
import type {
  CallbackProgress,
  DeliveryOfTask,
  DeliveryView,
  LoggedAttempt,
  SingleDelivery,
} from '../../domain/delivery/delivery-views.ts'
import type { EventType } from '../../domain/delivery/webhook.ts'
import type { JobEnd } from '../../domain/job/job.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import type { PaginationQuery } from '../../wire/pagination.ts'
import { openColumn, sealColumn } from '../secrets/sealed-columns.ts'
import { type Statement, sql, sqlValue } from '../statement.ts'

/** A delivery with all that is needed to send it: its URL, and whether it should still be sent. */
export interface DeliveryToSend extends Delivery {
  state: DeliveryState
  attempts: number
  scheduleStep: number
  /** Undefined once the webhook is deleted. */
  url: string | undefined
  /** Whether its webhook is paused. */
  isPaused: boolean
}

export const insertDelivery = (delivery: Delivery & { state: 'pending' | 'skipped' }) =>
  sql<never>`
    insert into deliveries
      (id, account_id, task_id, job_id, job_end, webhook_id, event_type, state, attempts, schedule_step,
       next_attempt_at_ms, created_at_ms, ended_at_ms)
    values (${delivery.id}, ${delivery.accountId}, ${idIf(delivery, 'task')},
            ${idIf(delivery, 'job')}, ${delivery.subject.kind === 'job' ? delivery.subject.end : null},
            ${delivery.webhook?.id ?? null}, ${delivery.webhook?.eventType ?? null},
            ${delivery.state}, 0, 0,
            ${delivery.state === 'pending' ? delivery.createdAtMs : null}, ${delivery.createdAtMs},
            ${delivery.state === 'pending' ? null : delivery.createdAtMs})`

const idIf = ({ subject }: Delivery, kind: DeliverySubject['kind']): string | null =>
  subject.kind === kind ? subject.id : null

/** For the worker that sends it. The claimed queue entry says which account it belongs to. */
export const getDeliveryToSend = (sealer: Sealer, id: string): Statement<DeliveryToSend> =>
  sql<ToSendRow>`
    select deliveries.id, deliveries.account_id as "accountId", deliveries.task_id as "taskId",
           deliveries.job_id as "jobId", deliveries.job_end as "jobEnd", deliveries.webhook_id as "webhookId", deliveries.event_type as "eventType",
           deliveries.state, deliveries.attempts, deliveries.schedule_step as "scheduleStep",
           deliveries.created_at_ms as "createdAtMs", tasks.callback_url as "callbackUrl",
           jobs.callback_url as "jobCallbackUrl", webhooks.url as "webhookUrl", webhooks.is_active as "isActive"
    from deliveries
    left join tasks on tasks.id = deliveries.task_id
    left join jobs on jobs.id = deliveries.job_id
    left join webhooks on webhooks.id = deliveries.webhook_id
    where deliveries.id = ${id}`.map((row) => toDeliveryToSend(sealer, row))

/**
 * Writes the outcome of an attempt. A delivered delivery stays delivered, whatever a later attempt gives;
 * a failed attempt outside the schedule leaves a pending delivery to the schedule.
 */
export const recordSend = (send: {
  id: string
  state: DeliveryState
  isScheduled: boolean
  nextAttemptAtMs: number | null
  statusCode: number | null
  error: string | null
  nowMs: number
}): Statement<never> => {
  const isDelivered = send.state === 'delivered'
  const stays =
    send.isScheduled || isDelivered
      ? sql`state = 'delivered'`
      : sql`state in ('delivered', 'pending')`
  const endedAtMs = send.state === 'pending' ? null : send.nowMs
  return sql<never>`
    update deliveries
    set state = case when ${stays} then state else ${send.state} end,
        attempts = attempts + 1,
        schedule_step = schedule_step + ${send.isScheduled ? 1 : 0},
        next_attempt_at_ms = case when ${stays} then next_attempt_at_ms
                                  else ${send.nextAttemptAtMs} end,
        last_status_code = ${send.statusCode}, last_error = ${send.error},
        delivered_at_ms = case when ${stays} then delivered_at_ms
                               else ${isDelivered ? send.nowMs : null} end,
        ended_at_ms = case when state = 'delivered' then ${send.nowMs}
                           when ${stays} then ended_at_ms
                           else ${endedAtMs} end
    where id = ${send.id}`
}

/** Logs the attempt that `recordSend` has just counted. */
export const insertDeliveryAttempt = (
  sealer: Sealer,
  delivery: Pick<Delivery, 'id' | 'accountId'>,
  attempt: {
    startedAtMs: number
    durationMs: number
    statusCode: number | null
    error: string | null
    answerExcerpt: string | null
  },
): Statement<never> => {
  const { answerExcerpt } = attempt
  // Encrypted: a receiver may echo what it was sent.
  const excerpt =
    answerExcerpt && sealColumn(sealer, 'delivery_attempts.answer_excerpt', delivery, answerExcerpt)
  return sql<never>`
    insert into delivery_attempts
      (delivery_id, number, started_at_ms, duration_ms, status_code, error, answer_excerpt)
    select id, attempts, ${attempt.startedAtMs}, ${attempt.durationMs}, ${attempt.statusCode},
           ${attempt.error}, ${excerpt}
    from deliveries
    where id = ${delivery.id}`
}

export const skipDelivery = (id: string, nowMs: number) =>
  sql<never>`
    update deliveries
    set state = 'skipped', next_attempt_at_ms = null, ended_at_ms = ${nowMs}
    where id = ${id} and state = 'pending'`

const viewColumns = sql`
    id, event_type as "eventType", state, attempts, last_status_code as "lastStatusCode",
    created_at_ms as "createdAtMs", delivered_at_ms as "deliveredAtMs"`

/** Newest first. */
export const listWebhookDeliveries = (
  webhook: { id: string; accountId: string },
  { state, page, pageSize }: PaginationQuery & { state: DeliveryState | undefined },
) =>
  sql<DeliveryView>`
    select ${viewColumns}, coalesce(task_id, job_id) as "subjectId"
    from deliveries
    where ${ofWebhook(webhook, state)}
    order by created_at_ms desc, id desc
    limit ${pageSize} offset ${(page - 1) * pageSize}`.slow()

export const countWebhookDeliveries = (
  webhook: { id: string; accountId: string },
  state: DeliveryState | undefined,
) => sqlValue<number>`select count(*) from deliveries where ${ofWebhook(webhook, state)}`.slow()

const ofWebhook = (webhook: { id: string; accountId: string }, state: DeliveryState | undefined) =>
  state === undefined
    ? sql`webhook_id = ${webhook.id} and account_id = ${webhook.accountId}`
    : sql`webhook_id = ${webhook.id} and account_id = ${webhook.accountId} and state = ${state}`

export const findDeliveryOfWebhook = (delivery: {
  id: string
  webhookId: string
  accountId: string
}) =>
  sql<SingleDelivery>`
    select ${viewColumns}, coalesce(task_id, job_id) as "subjectId",
           next_attempt_at_ms as "nextAttemptAtMs"
    from deliveries
    where id = ${delivery.id} and webhook_id = ${delivery.webhookId}
      and account_id = ${delivery.accountId}`

/** Oldest first. */
export const listDeliveryAttempts = (
  sealer: Sealer,
  delivery: Pick<Delivery, 'id' | 'accountId'>,
): Statement<LoggedAttempt> =>
  sql<LoggedAttempt>`
    select number, started_at_ms as "startedAtMs", duration_ms as "durationMs",
           status_code as "statusCode", error, answer_excerpt as "answerExcerpt"
    from delivery_attempts
    where delivery_id = ${delivery.id}
    order by number
    limit 100`.map(({ answerExcerpt, ...attempt }) => ({
    ...attempt,
    answerExcerpt:
      answerExcerpt &&
      openColumn(sealer, 'delivery_attempts.answer_excerpt', delivery, answerExcerpt),
  }))

export const findDelivery = (delivery: { id: string; webhookId: string; accountId: string }) =>
  sql<{ id: string; taskId: string | null; jobId: string | null; state: DeliveryState }>`
    select id, task_id as "taskId", job_id as "jobId", state from deliveries
    where id = ${delivery.id} and webhook_id = ${delivery.webhookId}
      and account_id = ${delivery.accountId}`

/** Oldest first. */
export const listDeliveriesOfTask = (task: { taskId: string; accountId: string }) =>
  sql<DeliveryOfTask>`
    select ${viewColumns}, webhook_id as "webhookId", next_attempt_at_ms as "nextAttemptAtMs"
    from deliveries
    where task_id = ${task.taskId} and account_id = ${task.accountId}
    order by created_at_ms, id
    limit 100`

export const findCallback = (task: { taskId: string; accountId: string }) =>
  sql<{ id: string; state: DeliveryState }>`
    select id, state from deliveries
    where task_id = ${task.taskId} and account_id = ${task.accountId} and webhook_id is null`

/** Failed or skipped deliveries since then that are not queued and whose result is still stored. */
export const listUndelivered = (webhook: { id: string; accountId: string; sinceMs: number }) =>
  sql<{ id: string; attempts: number }>`
    select deliveries.id, deliveries.attempts from deliveries
    left join tasks on tasks.id = deliveries.task_id
    where deliveries.webhook_id = ${webhook.id} and deliveries.account_id = ${webhook.accountId}
      and deliveries.state in ('failed', 'skipped') and deliveries.created_at_ms >= ${webhook.sinceMs}
      and (tasks.id is null or tasks.state <> 'completed'
           or exists (select 1 from results where results.task_id = tasks.id))
      and deliveries.id not in (select work_id from queue_entries where lane = 'delivery')
    order by deliveries.created_at_ms, deliveries.id`.slow()

/** A delivery that is pending or queued, and one of its queue entries. */
export interface UnsentDelivery {
  id: string
  /** Null where its schedule has none, because its webhook was paused. */
  entryId: string | null
}

/**
 * Oldest first. A delivery that is redelivered may have two entries, and is then listed with each. SQLite
 * would make an outer join by reading the whole queue for every delivery.
 */
export const listUnsentOfWebhook = (webhookId: string) =>
  sql<UnsentDelivery>`
    select work_id as id, id as "entryId" from queue_entries
    where lane = 'delivery'
      and work_id in (select id from deliveries where webhook_id = ${webhookId})
    union all
    select id, null from deliveries
    where webhook_id = ${webhookId} and state = 'pending'
      and not exists (select 1 from queue_entries where queue_entries.id = deliveries.id)
    order by id`.slow()

/** A condition. */
export const isPending = (id: string) =>
  sql<never>`
    exists (select 1 from deliveries where deliveries.id = ${id} and deliveries.state = 'pending')`

/** A condition: no attempt was made since the delivery had so many attempts. */
export const isStillMissed = (delivery: { id: string; accountId: string; attempts: number }) =>
  sql<never>`
    exists (select 1 from deliveries
            where deliveries.id = ${delivery.id} and deliveries.account_id = ${delivery.accountId}
              and deliveries.attempts = ${delivery.attempts})`

export const summariseDeliveries = (taskId: string) =>
  sql<{ pendingCount: number; endedAtMs: number | null }>`
    select count(*) filter (where state = 'pending') as "pendingCount",
           max(ended_at_ms) as "endedAtMs"
    from deliveries
    where task_id = ${taskId}`

/** How the callback of the job's last end stands. */
export const findJobCallback = (jobId: string) =>
  sql<CallbackProgress>`
    select state, attempts, next_attempt_at_ms as "nextAttemptAtMs",
           last_status_code as "lastStatusCode", last_error as "lastError",
           delivered_at_ms as "deliveredAtMs"
    from deliveries
    where job_id = ${jobId} and webhook_id is null
    order by created_at_ms desc, id desc
    limit 1`

interface ToSendRow extends Omit<DeliveryToSend, 'subject' | 'webhook' | 'url' | 'isPaused'> {
  taskId: string | null
  jobId: string | null
  jobEnd: JobEnd | null
  webhookId: string | null
  eventType: EventType | null
  callbackUrl: string | null
  jobCallbackUrl: string | null
  webhookUrl: string | null
  isActive: number | null
}

function toDeliveryToSend(sealer: Sealer, row: ToSendRow): DeliveryToSend {
  const { taskId, jobId, jobEnd, webhookId, eventType, callbackUrl, jobCallbackUrl, ...others } =
    row
  const { webhookUrl, isActive, ...delivery } = others
  const subject = subjectOf({ taskId, jobId, jobEnd })
  const place = { id: subject.id, accountId: row.accountId }
  const openCallbackUrl = () =>
    subject.kind === 'task'
      ? callbackUrl && openColumn(sealer, 'tasks.callback_url', place, callbackUrl)
      : jobCallbackUrl && openColumn(sealer, 'jobs.callback_url', place, jobCallbackUrl)
  const openWebhook = (id: string) =>
    webhookUrl && openColumn(sealer, 'webhooks.url', { id, accountId: row.accountId }, webhookUrl)
  return {
    ...delivery,
    subject,
    webhook: webhookId && eventType ? { id: webhookId, eventType } : undefined,
    url: (webhookId === null ? openCallbackUrl() : openWebhook(webhookId)) ?? undefined,
    isPaused: isActive === 0,
  }
}

function subjectOf(row: Pick<ToSendRow, 'taskId' | 'jobId' | 'jobEnd'>): DeliverySubject {
  const { taskId, jobId, jobEnd } = row
  if (jobId !== null && jobEnd !== null) return { kind: 'job', id: jobId, end: jobEnd }
  return { kind: 'task', id: taskId ?? '' }
}
