import { destinationOf } from '../domain/delivery/delivery.ts'
import type { PlannedDelivery } from '../domain/delivery/plan-deliveries.ts'
import type { EventType, Webhook } from '../domain/delivery/webhook.ts'
import type { PendingEntries } from '../queue/pending-entries.ts'
import type { LaneProducer } from '../queue/queue.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import type { Database } from '../storage/database.ts'
import { requireStoreKey } from '../storage/secrets/key-rotation.ts'
import { type DeliveryToSend, insertDelivery } from '../storage/tables/deliveries.ts'
import { listWebhooksFor } from '../storage/tables/webhooks.ts'

/** Saves the sender reads from the store, where the process that planned a delivery sends it. */
export interface PreloadedDelivery {
  delivery: DeliveryToSend
  body: Uint8Array | undefined
}

/**
 * The webhooks that hear of an event. One that cannot be decrypted counts as paused; a process that lacks
 * the key of the store throws instead, as another one can send the event.
 */
export async function webhooksFor(
  parts: { db: Database; sealer: Sealer },
  accountId: string,
  eventType: EventType,
): Promise<Webhook[]> {
  const webhooks = await parts.db.run(listWebhooksFor(parts.sealer, accountId, eventType))
  if (webhooks.some(({ isUnreadable }) => isUnreadable)) await requireStoreKey(parts)
  return webhooks
}

/**
 * A transactional outbox: planned deliveries, for the transaction of the event. `bodies` has those that are
 * built already, by delivery id.
 */
export function post(
  producer: LaneProducer<PreloadedDelivery>,
  planned: readonly PlannedDelivery[],
  bodies: ReadonlyMap<string, Uint8Array>,
): PendingEntries {
  const due = planned.filter(({ isSkipped }) => !isSkipped)
  const enqueued = due.map((delivery) => ({
    delivery,
    pending: producer.enqueue({
      id: delivery.id,
      workId: delivery.id,
      accountId: delivery.accountId,
      concurrencyKey: destinationOf(delivery.url),
    }),
  }))
  return {
    statements: [
      ...planned.map((delivery) =>
        insertDelivery({ ...delivery, state: delivery.isSkipped ? 'skipped' : 'pending' }),
      ),
      ...enqueued.map(({ pending }) => pending.statement),
    ],
    committed() {
      for (const { delivery, pending } of enqueued) {
        const { isSkipped, ...stored } = delivery
        const fresh = { state: 'pending', attempts: 0, scheduleStep: 0, isPaused: false } as const
        pending.committed({ delivery: { ...stored, ...fresh }, body: bodies.get(delivery.id) })
      }
    },
    withdrawn() {
      for (const { pending } of enqueued) pending.withdrawn()
    },
  }
}
