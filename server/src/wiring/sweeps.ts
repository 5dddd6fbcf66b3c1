/** Builds what looks through the store from time to time. */
import type { Config } from '../config.ts'
import type { PreloadedDelivery } from '../delivery/outbox.ts'
import type { LaneProducer } from '../queue/queue.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { TasksParts } from '../tasks/tasks.ts'
import { startRequeuingOrphans } from '../tasks/upkeep/requeue-orphans.ts'
import { startRetention } from '../tasks/upkeep/retention.ts'

/** Longer than the longest period that statistics can be asked for. */
const statisticsMs = 400 * 86_400_000

interface SweepParts extends TasksParts {
  config: Config
  metrics: Metrics
  deliveries: LaneProducer<PreloadedDelivery>
}

export function startSweeps(parts: SweepParts): AsyncDisposable {
  const { config, db, log, metrics, idempotencyKeptMs: idempotencyMs } = parts
  const stack = new AsyncDisposableStack()
  const sweepIntervalMs = 3 * config.queue.leaseMs
  const kept = { ...config.retention, idempotencyMs, statisticsMs }
  stack.use(startRetention({ db, log, kept, sweepIntervalMs }))
  stack.use(
    startRequeuingOrphans({
      ...parts,
      onRequeued: (kind, count) => metrics.orphansRequeued.inc({ kind }, count),
      sweepIntervalMs,
    }),
  )
  return stack
}
