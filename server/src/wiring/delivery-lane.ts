/** Opens the lane in which deliveries are sent, by the roles of this process. */
import type { Config } from '../config.ts'
import { Destinations } from '../delivery/destinations.ts'
import type { PreloadedDelivery } from '../delivery/outbox.ts'
import { createSender, type SenderParts } from '../delivery/send-delivery.ts'
import type { LaneProducer, Queue } from '../queue/queue.ts'
import type { Metrics } from '../runtime/metrics.ts'

/** Most receivers respond within this time; slower ones do not hold a slot of the lane. */
const slowReceiverMs = 2_000
/** Enough to keep ten concurrent deliveries busy while the next are claimed. */
const prefetchedPerDestinationMax = 32

interface DeliveryLaneParts extends SenderParts {
  config: Config
  queue: Queue
  metrics: Metrics
}

export function openDeliveryLane(parts: DeliveryLaneParts): LaneProducer<PreloadedDelivery> {
  const { config, queue, metrics } = parts
  if (!config.roles.includes('delivery')) return queue.producerFor('delivery')
  const destinations = new Destinations()
  metrics.read(
    'delivery_circuit_open',
    'Receivers that failed an account repeatedly and get one of its deliveries at a time.',
    () => destinations.countOpenCircuits(),
  )
  return queue.openLane<PreloadedDelivery>({
    lane: 'delivery',
    slotsMax: config.workers.deliveryConcurrency,
    isAdvertised: () => true,
    patienceMs: slowReceiverMs,
    // Webhook deliveries are read again, as a webhook may be paused, changed or deleted meanwhile.
    preloadedBytes: ({ delivery, body }) => (delivery.webhook ? undefined : body?.byteLength),
    prefetchMax: prefetchedPerDestinationMax,
    limitOf: (destination, accountId) => destinations.limitOf({ accountId, destination }),
    work: createSender(parts, {
      destinations,
      scheduleMs: config.delivery.scheduleMs,
      onSent: ({ durationMs }, result) => {
        metrics.deliveryAttempts.inc({ result })
        metrics.deliverySeconds.observe(durationMs / 1_000)
        if (result === 'given_up') metrics.deadLetters.inc()
      },
    }),
  })
}
