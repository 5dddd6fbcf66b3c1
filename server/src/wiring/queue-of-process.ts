/** Starts the queue of this process, and hands it what the settings and the data folder say. */
import type { Config } from '../config.ts'
import { deliveryPauseMsMax } from '../domain/delivery/delivery.ts'
import { scrapeMsMax } from '../domain/scrape/scrape-request.ts'
import { type Queue, startQueue } from '../queue/queue.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Database } from '../storage/database.ts'
import { readLeaseMarks } from '../storage/lease-marks.ts'

/** The grace period of the queue where `stopClaiming` was not called. */
const graceMsDefault = 25_000

interface QueueParts {
  config: Config
  db: Database
  log: Log
  metrics: Metrics
  processId: string
}

export const startQueueOfProcess = ({ config, db, log, metrics, processId }: QueueParts): Queue =>
  startQueue({
    db,
    log,
    processId,
    leaseMs: config.queue.leaseMs,
    graceMs: graceMsDefault,
    pauseMsMax: {
      http: scrapeMsMax,
      browser: scrapeMsMax,
      delivery: deliveryPauseMsMax(config.delivery.scheduleMs),
    },
    unreleased: readLeaseMarks(config.store.dataDir, log),
    onFenced: () => metrics.fencedWrites.inc(),
    onReclaimed: (count) => metrics.leaseReclaims.inc(count),
  })
