import type { Lane } from '../domain/task/lane.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { forgetLaneWorkers, putLaneWorker } from '../storage/lane-workers-table.ts'
import {
  type ReturnedEntry,
  releaseLease,
  renewAwaiting,
  renewLeases,
  returnLostLeases,
} from '../storage/queue-entries-table.ts'
import { listAbandonedWork } from '../storage/queue-queries.ts'
import type { HeldEntry } from './held-entry.ts'
import type { LaneWorker } from './lane-worker.ts'
import { holdingKey } from './lease.ts'

export interface LeaseKeeperParts {
  db: Database
  log: Log
  processId: string
  leaseMs: number
  workers: ReadonlyMap<Lane, LaneWorker<unknown>>
  announce(entries: readonly ReturnedEntry[]): void
  onReclaimed(count: number): void
  onAbandoned(workId: string): Promise<unknown>
}

interface Renewed {
  id: string
  fence: number
}

// At the third turn a quarter of the lease is left.
const unansweredTurnsMax = 2
// Less than a turn, so that a renewal without an answer does not cost the next one its turn.
const renewalTurnsMax = 0.9

/**
 * Renews what this process holds, four times in the life of a lease, and returns what other processes
 * have let go of by dying. Work whose lease can no longer be sure is ended.
 */
export class LeaseKeeper implements AsyncDisposable {
  readonly #parts: LeaseKeeperParts
  readonly #turnMs: number
  readonly #timer: NodeJS.Timeout
  // Counted, not timed: a process that was held up itself has not asked yet, and asks first.
  #unansweredTurns = 0
  #renewing: Promise<void> | undefined
  #sweeping: Promise<void> | undefined
  // Held in the store but not here: a claim whose answer never came, if it is so twice.
  #unknown = new Set<string>()

  constructor(parts: LeaseKeeperParts) {
    this.#parts = parts
    this.#turnMs = parts.leaseMs / 4
    this.#timer = setInterval(() => this.#takeTurn(), this.#turnMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
    await this.#sweeping
  }

  /** Says at once that the lane is worked on; from then on it is said again with every renewal. */
  async advertise(lane: Lane): Promise<void> {
    const { db, log, processId, leaseMs } = this.#parts
    try {
      await db.run(putLaneWorker({ processId, lane, untilMs: db.nowMs() + leaseMs }))
    } catch (error) {
      log.debug({ err: error, lane }, 'That the lane is worked on could not be said yet.')
    }
  }

  #takeTurn(): void {
    const { log } = this.#parts
    if (this.#unansweredTurns === unansweredTurnsMax) {
      log.warn('The store did not answer for most of a lease, so the work under way is ended.')
    }
    if (this.#unansweredTurns >= unansweredTurnsMax) {
      for (const held of this.#listCommitted()) held.lose()
    }
    this.#unansweredTurns += 1
    this.#renewing ??= this.#renew()
      .then((renewed) => this.#startSweeping(renewed))
      .catch((error) => log.warn({ err: error }, 'Leases could not be renewed.'))
      .finally(() => {
        this.#renewing = undefined
      })
  }

  /** Only after a renewal, lest this process returns its own; but no renewal waits for it. */
  #startSweeping(renewed: readonly Renewed[]): void {
    const { log } = this.#parts
    this.#sweeping ??= this.#giveBackUnknown(renewed)
      .then(() => this.#sweep())
      .catch((error) => log.warn({ err: error }, 'Lost leases could not be looked for.'))
      .finally(() => {
        this.#sweeping = undefined
      })
  }

  async #renew(): Promise<Renewed[]> {
    const { db, processId, leaseMs, workers } = this.#parts
    const committedBefore = this.#listCommitted()
    const untilMs = db.nowMs() + leaseMs
    const [renewed] = await db.transaction(
      [
        renewLeases({ leasedBy: processId, leasedUntilMs: untilMs }),
        renewAwaiting({ by: processId, untilMs }),
        ...[...workers.values()]
          .filter(({ isAdvertised }) => isAdvertised)
          .map(({ lane }) => putLaneWorker({ processId, lane, untilMs })),
      ] as const,
      { deadlineMs: renewalTurnsMax * this.#turnMs },
    )
    this.#unansweredTurns = 0
    const ours = new Set(renewed.map(holdingKey))
    for (const held of committedBefore) if (!ours.has(held.key)) held.lose()
    return renewed
  }

  async #giveBackUnknown(renewed: readonly Renewed[]): Promise<void> {
    const { db, processId, announce } = this.#parts
    const known = new Set(this.#listHeld().map(({ key }) => key))
    const unknown = renewed.filter((lease) => !known.has(holdingKey(lease)))
    const unknownTwice = unknown.filter((lease) => this.#unknown.has(holdingKey(lease)))
    this.#unknown = new Set(unknown.map(holdingKey))
    for (const lease of unknownTwice) {
      announce(await db.run(releaseLease({ ...lease, leasedBy: processId })))
    }
  }

  async #sweep(): Promise<void> {
    const { db, log, announce, onReclaimed, onAbandoned } = this.#parts
    const nowMs = db.nowMs()
    const [returned, abandoned] = await db.transaction([
      returnLostLeases(nowMs),
      listAbandonedWork(nowMs),
      forgetLaneWorkers(nowMs),
    ] as const)
    if (returned.length > 0) onReclaimed(returned.length)
    announce(returned)
    for (const { work_id } of abandoned) {
      try {
        await onAbandoned(work_id)
      } catch (error) {
        log.warn({ err: error }, 'Work that nobody waits for any more could not be ended.')
      }
    }
  }

  #listHeld(): HeldEntry[] {
    return [...this.#parts.workers.values()].flatMap(({ held }) => [...held])
  }

  #listCommitted(): HeldEntry[] {
    return this.#listHeld().filter(({ isCommitted }) => isCommitted)
  }
}
