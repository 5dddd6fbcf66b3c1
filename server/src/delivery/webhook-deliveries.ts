import type { DeliveryState } from '../domain/delivery/delivery.ts'
import type { Webhook } from '../domain/delivery/webhook.ts'
import { Failure } from '../domain/failure.ts'
import { type PaginatedList, type PaginationQuery, totalIfLastPage } from '../domain/pagination.ts'
import {
  countWebhookDeliveries,
  type DeliveryView,
  findDelivery,
  listUndelivered,
  listWebhookDeliveries,
} from '../storage/deliveries-table.ts'
import { findWebhook } from '../storage/webhooks-table.ts'
import { type PingParts, ping } from './ping.ts'
import { type ResendParts, resend, resendMissed } from './resend.ts'
import type { Sent } from './send-message.ts'

/** The deliveries of a webhook: listing, redelivering, recovering and pinging. */
export interface WebhookDeliveries {
  listDeliveries(
    accountId: string,
    id: string,
    asked: PaginationQuery & { state: DeliveryState | undefined },
  ): Promise<PaginatedList<DeliveryView>>
  redeliver(accountId: string, id: string, deliveryId: string): Promise<void>
  /** Resends what failed or was skipped since then; returns how many. */
  recover(accountId: string, id: string, sinceMs: number): Promise<number>
  /** Sends a ping at once and returns its outcome, also when it failed. */
  ping(accountId: string, id: string): Promise<Sent>
}

export interface WebhookDeliveriesParts extends ResendParts, PingParts {
  /** Throws `EXPIRED` when the result is no longer kept. */
  requireResultKept(accountId: string, taskId: string): Promise<void>
}

export function createWebhookDeliveries(parts: WebhookDeliveriesParts): WebhookDeliveries {
  const { db } = parts

  return {
    async listDeliveries(accountId, id, { state, ...page }) {
      await getWebhook(accountId, id)
      const items = await db.run(listWebhookDeliveries({ id, accountId }, { state, ...page }))
      const totalCount = totalIfLastPage(items.length, page)
      if (totalCount !== undefined) return { items, totalCount }
      const [counted = 0] = await db.run(countWebhookDeliveries({ id, accountId }, state))
      return { items, totalCount: counted }
    },
    async redeliver(accountId, id, deliveryId) {
      const { url } = await getWebhook(accountId, id)
      const [delivery] = await db.run(findDelivery({ id: deliveryId, webhookId: id, accountId }))
      if (!delivery) throw new Failure('NOT_FOUND', 'There is no such delivery.')
      // The event of a job has no results, so it can be sent as long as the job exists.
      if (delivery.taskId !== null) await parts.requireResultKept(accountId, delivery.taskId)
      await resend(parts, { id: delivery.id, accountId, url })
    },
    async recover(accountId, id, sinceMs) {
      const { url } = await getWebhook(accountId, id)
      const missed = await db.run(listUndelivered({ id, accountId, sinceMs }))
      return resendMissed(parts, { id, accountId, url }, missed)
    },
    async ping(accountId, id) {
      const { url } = await getWebhook(accountId, id)
      return ping(parts, { webhookId: id, accountId, url })
    },
  }

  async function getWebhook(accountId: string, id: string): Promise<Webhook> {
    const [webhook] = await db.run(findWebhook({ id, accountId }))
    if (!webhook) throw new Failure('NOT_FOUND', 'There is no such webhook.')
    return webhook
  }
}
