/** Builds what counts the work in the store, and refuses more where there is too much. */
import type { Config } from '../config.ts'
import type { AdmissionLimits } from '../domain/service/admission-rules.ts'
import { Depths, type LaneDepth } from '../queue/depths.ts'
import type { Log } from '../runtime/log.ts'
import { memoryBytes } from '../runtime/machine/process-load.ts'
import { readDiskSpace } from '../runtime/machine/read-disk-space.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Database } from '../storage/database.ts'
import { startAdmissionControl } from '../tasks/admission-control.ts'
import { startAccountStorage } from '../tasks/upkeep/account-storage.ts'

/** The rest is for bodies in flight and for other programs on the machine. */
const memoryShareMax = 0.75
/** An account over its storage limit loses its oldest results within a minute. */
const storageSweepIntervalMs = 15_000

interface AdmissionParts {
  config: Config
  db: Database
  log: Log
  metrics: Metrics
}

export function startAdmission(
  { config, db, log, metrics }: AdmissionParts,
  stack: AsyncDisposableStack,
) {
  const depths = stack.use(new Depths({ db, log }))
  reportDepths(metrics, depths)
  const { accountBytesMax: bytesMax, dataDir } = config.store
  const storage = stack.use(
    startAccountStorage({ db, log, bytesMax, sweepIntervalMs: storageSweepIntervalMs }),
  )
  const limits = admissionLimits(config)
  const readDisk = () => readDiskSpace(dataDir)
  const admissionControl = stack.use(
    startAdmissionControl({ db, log, depths, limits, storage, readDisk }),
  )
  return { depths, admissionControl }
}

const admissionLimits = ({ http, workers, store }: Config): AdmissionLimits => ({
  diskFreeMin: store.diskFreeMin,
  residentBytesMax: http.memoryBytesMax ?? memoryShareMax * memoryBytes(),
  queueMax: workers.queueMax,
  accountQueueMax: workers.accountQueueMax,
})

function reportDepths(metrics: Metrics, depths: Depths): void {
  const byLane = (read: (depth: LaneDepth) => number) => () =>
    Object.entries(depths.byLane()).map(([lane, depth]) => [lane, read(depth)] as const)
  metrics.readBy(
    'lane',
    'queue_depth',
    'Waiting queue entries in the whole store.',
    byLane(({ waiting }) => waiting),
  )
  metrics.readBy(
    'lane',
    'queue_oldest_age_seconds',
    'How long the oldest unstarted entry has been waiting.',
    byLane(({ oldestAgeMs }) => oldestAgeMs / 1_000),
  )
}
