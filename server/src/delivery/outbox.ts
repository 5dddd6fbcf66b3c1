import { destinationOf } from '../domain/delivery/delivery.ts'
import type { PlannedDelivery } from '../domain/delivery/plan-deliveries.ts'
import type { LaneProducer } from '../queue/queue.ts'
import { type DeliveryToSend, insertDelivery } from '../storage/deliveries-table.ts'
import type { Statement } from '../storage/statement.ts'

/** What the sender need not look up when the delivery is made by the process that planned it. */
export interface PreloadedDelivery {
  delivery: DeliveryToSend
  body: Uint8Array | undefined
}

/** Statements that belong into the transaction of the event itself, and what follows the commit. */
export interface Posting {
  statements: Statement<never>[]
  committed(): void
  withdrawn(): void
}

/** Turns planned deliveries into duties. `bodies` has what is known already, by the delivery's id. */
export function post(
  producer: LaneProducer<PreloadedDelivery>,
  planned: readonly PlannedDelivery[],
  bodies: ReadonlyMap<string, Uint8Array>,
): Posting {
  const duties = planned.filter(({ isSkipped }) => !isSkipped)
  const enqueued = duties.map((duty) => ({
    duty,
    pending: producer.enqueue({
      id: duty.id,
      workId: duty.id,
      accountId: duty.accountId,
      concurrencyKey: destinationOf(duty.url),
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
      for (const { duty, pending } of enqueued) {
        const { isSkipped, ...delivery } = duty
        const fresh = { state: 'pending', attempts: 0, scheduleStep: 0, isPaused: false } as const
        pending.committed({ delivery: { ...delivery, ...fresh }, body: bodies.get(duty.id) })
      }
    },
    withdrawn() {
      for (const { pending } of enqueued) pending.withdrawn()
    },
  }
}
