import type { EventType, Webhook } from '../domain/delivery/webhook.ts'
import type { PaginationQuery } from '../domain/pagination.ts'
import { forUpdate, type Statement, sql } from './statement.ts'

export const insertWebhook = (webhook: Webhook & { accountId: string }) =>
  sql<never>`
    insert into webhooks
      (id, account_id, url, event_type, description, is_active, created_at_ms, updated_at_ms)
    values (${webhook.id}, ${webhook.accountId}, ${webhook.url}, ${webhook.eventType},
            ${webhook.description}, ${webhook.isActive ? 1 : 0},
            ${webhook.createdAtMs}, ${webhook.updatedAtMs})`

/** Returns a row if the account has no more webhooks than allowed. */
export const withinWebhookCount = (accountId: string, webhooksMax: number) =>
  sql<{ ok: number }>`
    select 1 as ok
    where (select count(*) from webhooks where account_id = ${accountId}) <= ${webhooksMax}`

/** Newest first. */
export const listWebhooks = (accountId: string, page: PaginationQuery): Statement<Webhook> =>
  sql<WebhookRow>`
    select id, url, event_type as "eventType", description, is_active as "isActive",
           created_at_ms as "createdAtMs", updated_at_ms as "updatedAtMs"
    from webhooks
    where account_id = ${accountId}
    order by created_at_ms desc, id desc
    limit ${page.pageSize} offset ${(page.page - 1) * page.pageSize}`
    .map(toWebhook)
    .quick()

export const countWebhooks = (accountId: string): Statement<number> =>
  sql<{ total: number }>`
    select count(*) as total from webhooks where account_id = ${accountId}`.map(
    ({ total }) => total,
  )

export const findWebhook = (webhook: { id: string; accountId: string }): Statement<Webhook> =>
  sql<WebhookRow>`
    select id, url, event_type as "eventType", description, is_active as "isActive",
           created_at_ms as "createdAtMs", updated_at_ms as "updatedAtMs"
    from webhooks
    where id = ${webhook.id} and account_id = ${webhook.accountId}`
    .map(toWebhook)
    .quick()

/** The webhooks for an event, including paused ones, whose deliveries are recorded as skipped. */
export const listWebhooksFor = (accountId: string, eventType: EventType): Statement<Webhook> =>
  sql<WebhookRow>`
    select id, url, event_type as "eventType", description, is_active as "isActive",
           created_at_ms as "createdAtMs", updated_at_ms as "updatedAtMs"
    from webhooks
    where account_id = ${accountId} and event_type = ${eventType}`
    .map(toWebhook)
    .quick()

/** Returns a row if the webhook is paused, and locks it so that it stays paused until the commit. */
export const stillPaused = (id: string) =>
  sql<{ id: string }>`select id from webhooks where id = ${id} and is_active = 0 ${forUpdate}`

/** Row lock until the commit. */
export const lockWebhook = (webhook: { id: string; accountId: string }) =>
  sql<{ id: string }>`
    select id from webhooks
    where id = ${webhook.id} and account_id = ${webhook.accountId} ${forUpdate}`

/** Pauses the webhook unless its URL has changed since. */
export const pauseWebhook = (webhook: { id: string; url: string; nowMs: number }) =>
  sql<never>`
    update webhooks set is_active = 0, updated_at_ms = ${webhook.nowMs}
    where id = ${webhook.id} and url = ${webhook.url}`

/** Undefined fields stay unchanged. */
export const updateWebhook = (change: {
  id: string
  accountId: string
  url?: string | undefined
  eventType?: EventType | undefined
  description?: string | undefined
  isActive?: boolean | undefined
  nowMs: number
}): Statement<Webhook> =>
  sql<WebhookRow>`
    update webhooks
    set url = coalesce(${change.url ?? null}, url),
        event_type = coalesce(${change.eventType ?? null}, event_type),
        description = coalesce(${change.description ?? null}, description),
        is_active = coalesce(${change.isActive === undefined ? null : Number(change.isActive)}, is_active),
        updated_at_ms = ${change.nowMs}
    where id = ${change.id} and account_id = ${change.accountId}
    returning id, url, event_type as "eventType", description, is_active as "isActive",
              created_at_ms as "createdAtMs", updated_at_ms as "updatedAtMs"`.map(toWebhook)

export const deleteWebhook = (webhook: { id: string; accountId: string }) =>
  sql<{ id: string }>`
    delete from webhooks
    where id = ${webhook.id} and account_id = ${webhook.accountId}
    returning id`

interface WebhookRow extends Omit<Webhook, 'isActive'> {
  isActive: number
}

const toWebhook = (row: WebhookRow): Webhook => ({ ...row, isActive: row.isActive === 1 })
