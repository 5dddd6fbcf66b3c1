import type { EventType, Webhook } from '../../domain/delivery/webhook.ts'
import { CannotUnseal, type Sealer } from '../../runtime/crypto/seal.ts'
import type { PaginationQuery } from '../../wire/pagination.ts'
import { openColumn, sealColumn } from '../secrets/sealed-columns.ts'
import { forUpdate, type Statement, sql, sqlValue } from '../statement.ts'

export const insertWebhook = (sealer: Sealer, webhook: Webhook & { accountId: string }) =>
  sql<never>`
    insert into webhooks
      (id, account_id, url, event_type, description, is_active, created_at_ms, updated_at_ms)
    values (${webhook.id}, ${webhook.accountId},
            ${sealColumn(sealer, 'webhooks.url', webhook, webhook.url)}, ${webhook.eventType},
            ${webhook.description}, ${webhook.isActive ? 1 : 0},
            ${webhook.createdAtMs}, ${webhook.updatedAtMs})`

/** Returns a row if the account has no more webhooks than allowed. */
export const withinWebhookCount = (accountId: string, webhooksMax: number) =>
  sql<{ ok: number }>`
    select 1 as ok
    where (select count(*) from webhooks where account_id = ${accountId}) <= ${webhooksMax}`

const webhookColumns = sql`
    id, account_id as "accountId", url, event_type as "eventType", description,
    is_active as "isActive", created_at_ms as "createdAtMs", updated_at_ms as "updatedAtMs"`

/** Newest first. */
export const listWebhooks = (
  sealer: Sealer,
  accountId: string,
  page: PaginationQuery,
): Statement<Webhook> =>
  sql<WebhookRow>`
    select ${webhookColumns}
    from webhooks
    where account_id = ${accountId}
    order by created_at_ms desc, id desc
    limit ${page.pageSize} offset ${(page.page - 1) * page.pageSize}`
    .map((row) => toWebhook(sealer, row))
    .quick()

export const countWebhooks = (accountId: string) =>
  sqlValue<number>`select count(*) from webhooks where account_id = ${accountId}`

export const findWebhook = (
  sealer: Sealer,
  webhook: { id: string; accountId: string },
): Statement<Webhook> =>
  sql<WebhookRow>`
    select ${webhookColumns}
    from webhooks
    where id = ${webhook.id} and account_id = ${webhook.accountId}`
    .map((row) => toWebhook(sealer, row))
    .quick()

/** The webhooks for an event, including paused ones, whose deliveries are recorded as skipped. */
export const listWebhooksFor = (
  sealer: Sealer,
  accountId: string,
  eventType: EventType,
): Statement<Webhook> =>
  sql<WebhookRow>`
    select ${webhookColumns}
    from webhooks
    where account_id = ${accountId} and event_type = ${eventType}`
    .map((row) => toWebhook(sealer, row))
    .quick()

/** Returns a row if the webhook is paused, and locks it so that it stays paused until the commit. */
export const stillPaused = (id: string) =>
  sql<{ id: string }>`select id from webhooks where id = ${id} and is_active = 0 ${forUpdate}`

/** Row lock until the commit. */
export const lockWebhook = (webhook: { id: string; accountId: string }) =>
  sql<{ id: string }>`
    select id from webhooks
    where id = ${webhook.id} and account_id = ${webhook.accountId} ${forUpdate}`

/** Pauses the webhook unless it has changed since it was read. */
export const pauseWebhook = (read: Pick<Webhook, 'id' | 'updatedAtMs'>, nowMs: number) =>
  sql<never>`
    update webhooks set is_active = 0, updated_at_ms = ${nowMs}
    where id = ${read.id} and updated_at_ms = ${read.updatedAtMs}`

/** Undefined fields stay unchanged. */
export const updateWebhook = (
  sealer: Sealer,
  change: {
    id: string
    accountId: string
    url?: string | undefined
    eventType?: EventType | undefined
    description?: string | undefined
    isActive?: boolean | undefined
    nowMs: number
  },
): Statement<Webhook> =>
  sql<WebhookRow>`
    update webhooks
    set url = coalesce(${change.url === undefined ? null : sealColumn(sealer, 'webhooks.url', change, change.url)}, url),
        event_type = coalesce(${change.eventType ?? null}, event_type),
        description = coalesce(${change.description ?? null}, description),
        is_active = coalesce(${change.isActive === undefined ? null : Number(change.isActive)}, is_active),
        updated_at_ms = ${change.nowMs}
    where id = ${change.id} and account_id = ${change.accountId}
    returning ${webhookColumns}`.map((row) => toWebhook(sealer, row))

export const deleteWebhook = (webhook: { id: string; accountId: string }) =>
  sql<{ id: string }>`
    delete from webhooks
    where id = ${webhook.id} and account_id = ${webhook.accountId}
    returning id`

interface WebhookRow extends Omit<Webhook, 'isActive'> {
  accountId: string
  isActive: number
}

/** One whose URL cannot be decrypted counts as paused, so that what happens meanwhile is not lost. */
function toWebhook(sealer: Sealer, { accountId, ...row }: WebhookRow): Webhook {
  try {
    const url = openColumn(sealer, 'webhooks.url', { id: row.id, accountId }, row.url)
    return { ...row, url, isActive: row.isActive === 1 }
  } catch (error) {
    if (!(error instanceof CannotUnseal)) throw error
    return { ...row, url: '', isActive: false, isUnreadable: true }
  }
}
