import type { Delivery, DeliveryState } from '../domain/delivery/delivery.ts'
import type { DeliveryDetails, DeliveryView } from '../domain/delivery/delivery-views.ts'
import type { Webhook } from '../domain/delivery/webhook.ts'
import { Failure } from '../domain/failure.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import { Semaphore } from '../runtime/sharing/semaphore.ts'
import {
  countWebhookDeliveries,
  findDelivery,
  findDeliveryOfWebhook,
  getDeliveryToSend,
  listDeliveryAttempts,
  listUndelivered,
  listWebhookDeliveries,
} from '../storage/tables/deliveries.ts'
import { findWebhook } from '../storage/tables/webhooks.ts'
import { type PaginatedList, type PaginationQuery, withTotal } from '../wire/pagination.ts'
import { type PingParts, ping } from './ping.ts'
import { type ResendParts, resend, resendMissed } from './resend.ts'

interface AskedDelivery {
  accountId: string
  /** Of the webhook. */
  id: string
  deliveryId: string
  disconnected: AbortSignal
}

export interface WebhookDeliveriesParts extends ResendParts, PingParts {
  sealer: Sealer
  /** The body of a delivery; undefined once the result is no longer kept. */
  bodyOf(delivery: Delivery, signal: AbortSignal): Promise<Uint8Array | undefined>
  /** Throws `EXPIRED` when the result is no longer kept. */
  requireResultKept(accountId: string, taskId: string): Promise<void>
}

export type WebhookDeliveries = ReturnType<typeof createWebhookDeliveries>

/** The deliveries of a webhook: listing, redelivering, recovering and pinging. */
export function createWebhookDeliveries(parts: WebhookDeliveriesParts) {
  const { db, sealer } = parts
  const reading = new Semaphore(readLimits)

  return {
    async listDeliveries(
      accountId: string,
      id: string,
      { state, ...page }: PaginationQuery & { state: DeliveryState | undefined },
    ): Promise<PaginatedList<DeliveryView>> {
      await getWebhook(parts, { id, accountId })
      const items = await db.run(listWebhookDeliveries({ id, accountId }, { state, ...page }))
      return withTotal(items, page, () => db.run(countWebhookDeliveries({ id, accountId }, state)))
    },
    async getDelivery({
      accountId,
      id,
      deliveryId,
      disconnected: signal,
    }: AskedDelivery): Promise<DeliveryDetails> {
      await getWebhook(parts, { id, accountId })
      const [found] = await db.run(
        findDeliveryOfWebhook({ id: deliveryId, webhookId: id, accountId }),
      )
      if (!found) throw noDelivery()
      // Only now, as excerpts of another account could not be decrypted.
      const [attemptLog, [toSend]] = await db.transaction([
        listDeliveryAttempts(sealer, { id: deliveryId, accountId }),
        getDeliveryToSend(sealer, deliveryId),
      ] as const)
      if (!toSend) throw noDelivery()
      const done = await reading.run(() => readBody(accountId, toSend, signal), {
        accountId,
        signal,
      })
      if (!done) throw tooManyReaders()
      return { ...found, attemptLog, body: done.result }
    },
    async redeliver(accountId: string, id: string, deliveryId: string) {
      const url = requireUrl(await getWebhook(parts, { id, accountId }))
      const [delivery] = await db.run(findDelivery({ id: deliveryId, webhookId: id, accountId }))
      if (!delivery) throw noDelivery()
      // The event of a job has no results, so it can be sent as long as the job exists.
      if (delivery.taskId !== null) await parts.requireResultKept(accountId, delivery.taskId)
      await resend(parts, { id: delivery.id, accountId, url })
    },
    /** Resends what failed or was skipped since then; returns how many. */
    async recover(accountId: string, id: string, sinceMs: number) {
      const url = requireUrl(await getWebhook(parts, { id, accountId }))
      const missed = await db.run(listUndelivered({ id, accountId, sinceMs }))
      return resendMissed(parts, { id, accountId, url }, missed)
    },
    /** Sends a ping at once and returns its outcome, also when it failed. */
    async ping(accountId: string, id: string) {
      const url = requireUrl(await getWebhook(parts, { id, accountId }))
      return ping(parts, { webhookId: id, accountId, url })
    },
  }

  async function readBody(
    accountId: string,
    delivery: Delivery,
    signal: AbortSignal,
  ): Promise<Uint8Array | null> {
    const { kind, id } = delivery.subject
    try {
      // A result that has expired may still be stored for a while.
      if (kind === 'task') await parts.requireResultKept(accountId, id)
      return (await parts.bodyOf(delivery, signal)) ?? null
    } catch (error) {
      if (error instanceof Failure && error.code === 'EXPIRED') return null
      throw error
    }
  }
}

export async function getWebhook(
  { db, sealer }: Pick<WebhookDeliveriesParts, 'db' | 'sealer'>,
  webhook: { id: string; accountId: string },
): Promise<Webhook> {
  const [found] = await db.run(findWebhook(sealer, webhook))
  if (!found) throw noWebhook()
  return found
}

export const noWebhook = () => new Failure('NOT_FOUND', 'There is no such webhook.')

/** Throws for a webhook whose URL cannot be decrypted. */
export function requireUrl({ url, isUnreadable }: Webhook): string {
  if (!isUnreadable) return url
  throw new Failure(
    'CONFLICT',
    'The stored URL of the webhook cannot be decrypted. Set it again with PATCH.',
  )
}

// A body may have 8 MiB, and making it takes the result of its task.
const readLimits = { atOnceMax: 4, waitingMax: 50, spareMax: 1 }

const noDelivery = () => new Failure('NOT_FOUND', 'There is no such delivery.')

const tooManyReaders = () =>
  new Failure('RATE_LIMITED', 'Too many deliveries are being read at once.', {
    retryAfterSeconds: 1,
  })
