import { destinationOf } from '../domain/delivery/delivery.ts'
import type { PlannedDelivery } from '../domain/delivery/plan-deliveries.ts'
import type { PendingEntries } from '../queue/pending-entries.ts'
import type { LaneProducer } from '../queue/queue.ts'
import { type DeliveryToSend, insertDelivery } from '../storage/tables/deliveries.ts'

/** Saves the sender reads from the store, where the process that planned a delivery sends it. */
export interface PreloadedDelivery {
  delivery: DeliveryToSend
  body: Uint8Array | undefined
}

/**
 * A transactional outbox: planned deliveries, for the transaction of the event. `bodies` has those that are built already, by
 * delivery id.
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
