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
import { startLoadSampler } from '../runtime/process-load.ts'
import type { Database } from '../storage/database.ts'
import type { AccountStorage } from './account-storage.ts'

/** Whether new work is taken. What was accepted goes on, and reading is never refused. */
export interface AdmissionControl extends Disposable {
  /** Refuses while the process or its store is out of breath; costs a look at a field. */
  requireBreath(): void
  /** Refuses while too much of the kind waits or is being done, in all or of this account. */
  requireRoom(kind: NewWork, accountId: string): void
  report(): AdmissionReport
}

/**
 * What can be brought. Tasks have one bound, whichever engine they need: it keeps the store small, and
 * holds before the body is read that would tell.
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
  /** Undefined where it cannot be told. */
  readDisk(): Promise<DiskSpace | undefined>
}

const judgedEveryMs = 250
const askedEveryMs = 1_000
// One answer that comes late may be our own lateness in hearing it.
const silencesMax = 1

export function startAdmissionControl(parts: AdmissionControlParts): AdmissionControl {
  const { db, log, depths, limits, storage } = parts
  const gauge = startLoadSampler()
  const policy = createAdmissionPolicy(limits)
  let refusal: AdmissionRejected | undefined
  let silences = 0
  let disk: DiskSpace | undefined
  // Each by itself: a disk that hangs must not hide a store that does not answer.
  const questions = [oneAtATime(askStore), oneAtATime(askDisk)]
  const ask = (): void => questions.forEach((question) => void question())
  const timers = [setInterval(judge, judgedEveryMs).unref(), setInterval(ask, askedEveryMs).unref()]

  ask()

  return {
    requireBreath() {
      if (refusal) throw refusal
    },
    requireRoom(kind, accountId) {
      if (kind === 'task' && storage.isFull(accountId)) throw policy.accountStorageFull
      const full = policy.checkDepth(kind === 'task' ? tasksOf(accountId) : deliveriesOf(accountId))
      if (full) throw full
    },
    report() {
      const lanes = depths.byLane()
      const inAll = sum(taskLanes.map((lane) => lanes[lane].waiting + lanes[lane].running))
      const reason = refusal ?? policy.checkDepth({ inAll, ofAccount: 0 })
      return { refusal: reason, load: measure(), disk, limits, lanes }
    },
    [Symbol.dispose]() {
      for (const timer of timers) clearInterval(timer)
      gauge[Symbol.dispose]()
    },
  }

  function tasksOf(accountId: string) {
    const counts = taskLanes.map((lane) => depths.of(lane, accountId))
    return {
      inAll: sum(counts.map(({ inAll }) => inAll)),
      ofAccount: sum(counts.map(({ ofAccount }) => ofAccount)),
    }
  }

  /** Deliveries wait for hours by their schedule: what others have waiting is no reason. */
  function deliveriesOf(accountId: string) {
    return { inAll: 0, ofAccount: depths.of('delivery', accountId).ofAccount }
  }

  function measure(): LoadSample {
    return {
      ...gauge.read(),
      storeWaitMs: db.longestWaitMs(),
      isStoreAnswering: silences <= silencesMax,
      isDiskLow: isDiskLow(disk, limits.diskFreeMin),
    }
  }

  /** Whoever is told at once need not wait for the store's silence to run out. */
  async function askStore(): Promise<void> {
    try {
      await db.ping()
      silences = 0
    } catch {
      silences += 1
    }
  }

  async function askDisk(): Promise<void> {
    disk = await parts.readDisk().catch(() => undefined)
  }

  function judge(): void {
    const load = measure()
    const judged = policy.checkLoad(load)
    if (judged && !refusal) log.warn({ ...load, code: judged.code }, 'New work is refused.')
    if (!judged && refusal) log.info(load, 'New work is accepted again.')
    refusal = judged
  }
}

const sum = (figures: number[]): number => figures.reduce((one, other) => one + other, 0)

/** Does nothing while the last call is under way. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let isRunning = false
  return async () => {
    if (isRunning) return
    isRunning = true
    await run()
    isRunning = false
  }
}
