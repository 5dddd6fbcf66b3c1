import { destinationOf } from '../domain/delivery/delivery.ts'
import type { LaneProducer } from '../queue/queue.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import { isStillMissed } from '../storage/tables/deliveries.ts'
import { lockWebhook } from '../storage/tables/webhooks.ts'
import type { PreloadedDelivery } from './outbox.ts'
import { inSteps } from './unsent-deliveries.ts'

export interface ResendParts {
  db: Database
  deliveries: LaneProducer<PreloadedDelivery>
}

/**
 * Sends a delivery once more, independently of its schedule. The queue entry of the schedule has
 * the delivery's id, so this one gets a new id.
 */
export async function resend(
  { db, deliveries }: ResendParts,
  { id, accountId, url }: { id: string; accountId: string; url: string },
): Promise<void> {
  const entry = { id: sortableId(), workId: id, accountId, concurrencyKey: destinationOf(url) }
  await db.run(deliveries.enqueueReady(entry))
  deliveries.wake()
}

/**
 * Enqueues the deliveries that a webhook missed, except those that were attempted or enqueued since
 * they were listed: concurrent calls send each once. Returns how many will be sent.
 */
export async function resendMissed(
  { db, deliveries }: ResendParts,
  webhook: { id: string; accountId: string; url: string },
  missed: readonly { id: string; attempts: number }[],
): Promise<number> {
  const { accountId, url } = webhook
  let enqueuedCount = 0
  for (const step of inSteps(missed)) {
    const enqueued = await db.transaction([
      lockWebhook(webhook),
      ...step.map(({ id, attempts }) => {
        const entry = {
          id: `recover ${id}`,
          workId: id,
          accountId,
          concurrencyKey: destinationOf(url),
        }
        return deliveries.enqueueReadyIf(entry, isStillMissed({ id, accountId, attempts }))
      }),
    ])
    enqueuedCount += enqueued.slice(1).flat().length
    deliveries.wake()
  }
  return enqueuedCount
}
