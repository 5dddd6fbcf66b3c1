import {
  type AdmissionLimits,
  type AdmissionRejected,
  createAdmissionPolicy,
  type LoadSample,
} from '../domain/service/admission-rules.ts'
import { type DiskSpace, isDiskLow } from '../domain/service/disk-space.ts'
import { type Lane, taskLanes } from '../domain/task/lane.ts'
import type { Depths, LaneDepth } from '../queue/depths.ts'
import type { Log } from '../runtime/log.ts'
import { startLoadSampler } from '../runtime/machine/process-load.ts'
import type { Database } from '../storage/database.ts'
import type { AccountStorage } from './upkeep/account-storage.ts'

/**
 * The kinds of new work. Tasks of all engines share one limit, because it is checked before the
 * body is read, and only the body says which engine a task needs.
 */
export type NewWork = 'task' | 'delivery'

export interface AdmissionReport {
  refusal: AdmissionRejected | undefined
  load: LoadSample
  disk: DiskSpace | undefined
  limits: AdmissionLimits
  lanes: Record<Lane, LaneDepth>
}

export interface AdmissionControlParts {
  db: Database
  log: Log
  depths: Depths
  limits: AdmissionLimits
  storage: Pick<AccountStorage, 'isFull'>
  /** Undefined where the free space is unknown. */
  readDisk(): Promise<DiskSpace | undefined>
}

const evaluateIntervalMs = 250
const probeIntervalMs = 1_000
// A single late reply may be a delay of our own event loop.
const missedPingsMax = 1

export type AdmissionControl = ReturnType<typeof startAdmissionControl>

/** Backpressure: rejects new work under load. Accepted work goes on, and reads always work. */
export function startAdmissionControl(parts: AdmissionControlParts) {
  const { db, log, depths, limits, storage } = parts
  const sampler = startLoadSampler()
  const policy = createAdmissionPolicy(limits)
  let refusal: AdmissionRejected | undefined
  let missedPings = 0
  let disk: DiskSpace | undefined
  // The probes are independent: a hanging disk must not hide a store that does not answer.
  const probes = [oneAtATime(pingStore), oneAtATime(probeDisk)]
  const probeAll = (): void => probes.forEach((probe) => void probe())
  const timers = [
    setInterval(evaluate, evaluateIntervalMs).unref(),
    setInterval(probeAll, probeIntervalMs).unref(),
  ]

  probeAll()

  return {
    /** Throws while the process or its store is overloaded; it only reads a field. */
    requireNotOverloaded(): void {
      if (refusal) throw refusal
    },
    /** Throws while the queue of this kind has no room for so many, in total or for this account. */
    requireQueueCapacity(kind: NewWork, accountId: string, count = 1): void {
      if (kind === 'task' && storage.isFull(accountId)) throw policy.accountStorageFull
      const { inAll, ofAccount } = kind === 'task' ? tasksOf(accountId) : deliveriesOf(accountId)
      const others = count - 1
      const full = policy.checkDepth({ inAll: inAll + others, ofAccount: ofAccount + others })
      if (full) throw full
    },
    report(): AdmissionReport {
      const lanes = depths.byLane()
      const inAll = sum(taskLanes.map((lane) => lanes[lane].waiting + lanes[lane].running))
      const reason = refusal ?? policy.checkDepth({ inAll, ofAccount: 0 })
      return { refusal: reason, load: measure(), disk, limits, lanes }
    },
    [Symbol.dispose](): void {
      for (const timer of timers) clearInterval(timer)
      sampler[Symbol.dispose]()
    },
  }

  function tasksOf(accountId: string) {
    const counts = taskLanes.map((lane) => depths.of(lane, accountId))
    return {
      inAll: sum(counts.map(({ inAll }) => inAll)),
      ofAccount: sum(counts.map(({ ofAccount }) => ofAccount)),
    }
  }

  /** Deliveries may wait for hours by their schedule, so those of other accounts do not count. */
  function deliveriesOf(accountId: string) {
    return { inAll: 0, ofAccount: depths.of('delivery', accountId).ofAccount }
  }

  function measure(): LoadSample {
    return {
      ...sampler.read(),
      storeWaitMs: db.longestWaitMs(),
      isStoreAnswering: missedPings <= missedPingsMax,
      isDiskLow: isDiskLow(disk, limits.diskFreeMin),
    }
  }

  /** Detects a silent store early, so that callers get an error at once instead of a timeout. */
  async function pingStore(): Promise<void> {
    try {
      await db.ping()
      missedPings = 0
    } catch {
      missedPings += 1
    }
  }

  async function probeDisk(): Promise<void> {
    disk = await parts.readDisk().catch(() => undefined)
  }

  function evaluate(): void {
    const load = measure()
    const rejection = policy.checkLoad(load)
    if (rejection && !refusal) log.warn({ ...load, code: rejection.code }, 'Rejecting new work.')
    if (!rejection && refusal) log.info(load, 'Accepting new work again.')
    refusal = rejection
  }
}

const sum = (figures: number[]): number => figures.reduce((one, other) => one + other, 0)

/** Skips a call while the previous one is running. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let isRunning = false
  return async () => {
    if (isRunning) return
    isRunning = true
    await run()
    isRunning = false
  }
}
