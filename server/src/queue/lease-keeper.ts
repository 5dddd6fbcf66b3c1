import { setTimeout as pause } from 'node:timers/promises'
import type { Lane } from '../domain/task/lane.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import type { LeaseMarks } from '../storage/lease-marks.ts'
import { listAbandonedWork } from '../storage/queries/queue.ts'
import { forgetLaneWorkers, putLaneWorker } from '../storage/tables/lane-workers.ts'
import {
  type ReturnedEntry,
  releaseLease,
  releaseLeases,
  renewAwaiting,
  renewLeases,
  returnLostLeases,
  type SilenceTerms,
  shortenAwaiting,
  shortenLeases,
  shortenPauses,
  takeBackCrashes,
} from '../storage/tables/queue-entries.ts'
import type { HeldEntry } from './held-entry.ts'
import type { LaneWorker } from './lane-worker.ts'
import { leaseKey } from './lease.ts'
import { StoreContact } from './store-contact.ts'

export interface LeaseKeeperParts {
  db: Database
  log: Log
  processId: string
  leaseMs: number
  unreleased?: LeaseMarks
  pauseMsMax?: Readonly<Record<Lane, number>>
  workers: ReadonlyMap<Lane, LaneWorker<unknown>>
  announce(entries: readonly ReturnedEntry[]): void
  onReclaimed(count: number): void
}

/** Cancels work whose waiting caller is gone. */
export type AbandonedListener = (workId: string) => Promise<unknown>

interface Renewed {
  id: string
  fence: number
}

/** Logged when work is aborted and may run again elsewhere; the fault runs look for it. */
export const leasesMissedMessage =
  'No lease was renewed for most of its life; aborting the work under way.'

// At the third heartbeat a quarter of the lease is left, in which a last renewal is tried.
const missedHeartbeatsMax = 2
// A process whose leases are longer, but not that far ahead, sends its heartbeat within one of ours.
const farLeases = 4
// A process that stood still or was cut off from the store returns to callers who wait for a minute.
const silentLeasesMax = 2
// Less than one heartbeat, so that a renewal that fails does not delay the next, and work whose lease was not
// renewed is aborted while it still lasts.
const renewalHeartbeatsMax = 0.75
/** An outage may end any moment. */
const retriesPerHeartbeat = 20

/**
 * Renews the leases of this process by a heartbeat, four times in the life of a lease, and returns the
 * leases of dead processes. Work whose lease may run out is aborted, or it would be a zombie.
 */
export class LeaseKeeper implements AsyncDisposable {
  readonly #parts: LeaseKeeperParts
  readonly #heartbeatMs: number
  readonly #timer: NodeJS.Timeout
  readonly #contact: StoreContact
  // Counted, not timed: a process whose event loop was blocked must try to renew first.
  #missedHeartbeats = 0
  #isClosed = false
  #renewing: Promise<void> | undefined
  #sweeping: Promise<void> | undefined
  // Leases that no lane knows; if one is unknown twice, the response to its claim was lost.
  #unknown = new Set<string>()
  // On a store of one machine this process may follow one that crashed a moment ago, so it takes nobody's
  // word for the callers of others; one that lives renews their waiting with its next heartbeat.
  #hasDoubtedCallers: boolean
  // Processes that stopped and could not release their leases.
  #stopped: readonly string[]
  // Processes that were stopping when this one started. If they were killed, their leases run out until then.
  #stopping: readonly string[]
  readonly #stoppingUntilMs: number
  #onAbandoned: AbandonedListener | undefined
  // Work of callers who left while the store was away, so that it could not be cancelled yet.
  readonly #abandoned = new Set<string>()

  constructor(parts: LeaseKeeperParts) {
    this.#parts = parts
    this.#heartbeatMs = parts.leaseMs / 4
    this.#contact = new StoreContact(this.#heartbeatMs, parts.db.nowMs())
    this.#timer = setInterval(() => this.#sendHeartbeat(), this.#heartbeatMs)
    this.#hasDoubtedCallers = parts.db.isShared
    this.#stopped = parts.unreleased?.processIds ?? []
    this.#stopping = parts.unreleased?.stoppingIds ?? []
    this.#stoppingUntilMs = parts.db.nowMs() + parts.leaseMs
    if (!this.#hasDoubtedCallers || this.#stopped.length > 0) this.#sendHeartbeat()
  }

  listenForAbandoned(listener: AbandonedListener): void {
    this.#onAbandoned = listener
  }

  /** Cancels the work as soon as the store takes renewals again. */
  abandon(workId: string): void {
    this.#abandoned.add(workId)
  }

  /** The store has not taken a renewal for at least one heartbeat. */
  get isCutOff(): boolean {
    return this.#missedHeartbeats >= missedHeartbeatsMax
  }

  /** Which callers at other processes are silent now. */
  get silence(): SilenceTerms {
    const { db, processId } = this.#parts
    const silentUntilMs = this.#hasDoubtedCallers ? db.nowMs() : Number.MAX_SAFE_INTEGER
    return { processId, silentUntilMs }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#isClosed = true
    await this.#renewing
    await this.#sweeping
  }

  /** Records at once that this process works on the lane; every heartbeat renews it. */
  async advertise({ lane, slots }: Pick<LaneWorker<unknown>, 'lane' | 'slots'>): Promise<void> {
    const { db, log, processId, leaseMs } = this.#parts
    try {
      await db.run(putLaneWorker({ processId, lane, slots, untilMs: db.nowMs() + leaseMs }))
    } catch (error) {
      log.debug({ err: error, lane }, 'Failed to advertise the lane; retrying soon.')
    }
  }

  #sendHeartbeat(): void {
    const { log } = this.#parts
    this.#missedHeartbeats += 1
    for (const held of this.#listCommitted()) held.missedHeartbeats += 1
    this.#renewing ??= this.#renewThroughOutages()
      .then((renewed) => this.#startSweeping(renewed))
      .catch((error) => {
        log.warn({ err: error }, 'Failed to renew leases; retrying soon.')
        this.#loseUnrenewed()
      })
      .finally(() => {
        this.#renewing = undefined
      })
  }

  /** Only after a renewal, or this process might return its own leases; but no renewal waits for it. */
  #startSweeping(renewed: readonly Renewed[]): void {
    const { log } = this.#parts
    this.#sweeping ??= this.#releaseUnknown(renewed)
      .then(() => this.#releaseStopped())
      .then(() => this.#cancelAbandoned([...this.#abandoned]))
      .then(() => (this.#contact.isSteady ? this.#sweep() : undefined))
      .catch((error) => log.warn({ err: error }, 'Failed to return lost leases; retrying soon.'))
      .finally(() => {
        this.#sweeping = undefined
      })
  }

  /** What was claimed since the last heartbeats has a lease of its own, which lasts longer. */
  #loseUnrenewed(): void {
    const unrenewed = this.#listCommitted().filter(
      ({ missedHeartbeats, signal }) => missedHeartbeats > missedHeartbeatsMax && !signal.aborted,
    )
    if (unrenewed.length === 0) return
    this.#parts.log.warn(leasesMissedMessage)
    for (const held of unrenewed) held.lose()
  }

  async #renewThroughOutages(): Promise<Renewed[]> {
    const retryMs = this.#heartbeatMs / retriesPerHeartbeat
    const endsAtMs = performance.now() + renewalHeartbeatsMax * this.#heartbeatMs
    for (;;) {
      try {
        return await this.#renew(endsAtMs - performance.now())
      } catch (error) {
        if (this.#isClosed || performance.now() + retryMs >= endsAtMs) throw error
        await pause(retryMs)
      }
    }
  }

  async #renew(deadlineMs: number): Promise<Renewed[]> {
    const { db, processId, leaseMs, workers, announce } = this.#parts
    const committedBefore = this.#listCommitted()
    const nowMs = db.nowMs()
    const untilMs = nowMs + leaseMs
    const [renewed, innocent] = await db.transaction(
      [
        renewLeases({ leasedBy: processId, leasedUntilMs: untilMs }),
        takeBackCrashes(processId),
        renewAwaiting({ by: processId, untilMs }),
        ...(this.#hasDoubtedCallers
          ? []
          : [shortenAwaiting({ notBy: processId, beyondMs: nowMs, toMs: nowMs })]),
        ...[...workers.values()]
          .filter(({ isAdvertised }) => isAdvertised)
          .map(({ lane, slots }) => putLaneWorker({ processId, lane, slots, untilMs })),
      ] as const,
      { deadlineMs },
    )
    this.#missedHeartbeats = 0
    this.#hasDoubtedCallers = true
    this.#contact.answered(db.nowMs())
    announce(innocent)
    const ours = new Set(renewed.map(leaseKey))
    for (const held of committedBefore) {
      if (ours.has(held.key)) held.missedHeartbeats = 0
      else held.lose()
    }
    return renewed
  }

  async #releaseUnknown(renewed: readonly Renewed[]): Promise<void> {
    const { db, processId, announce } = this.#parts
    const known = new Set(this.#listHeld().map(({ key }) => key))
    const unknown = renewed.filter((lease) => !known.has(leaseKey(lease)))
    const unknownTwice = unknown.filter((lease) => this.#unknown.has(leaseKey(lease)))
    this.#unknown = new Set(unknown.map(leaseKey))
    for (const lease of unknownTwice) {
      announce(await db.run(releaseLease({ ...lease, leasedBy: processId })))
    }
  }

  /** Before the first sweep, which would take them for crashed; another process may have done so already. */
  async #releaseStopped(): Promise<void> {
    const { db, unreleased, announce } = this.#parts
    if (this.#stopped.length === 0) return
    const returned = await db.transaction(
      this.#stopped.flatMap((id) => [releaseLeases(id), takeBackCrashes(id)]),
    )
    this.#stopped = []
    unreleased?.released()
    announce(returned.flat())
  }

  async #sweep(): Promise<void> {
    const { db, processId, leaseMs, announce, onReclaimed } = this.#parts
    const pauses = Object.entries<number>(this.#parts.pauseMsMax ?? {})
    const nowMs = db.nowMs()
    const farMs = nowMs + farLeases * leaseMs
    const far = { notBy: processId, beyondMs: farMs, toMs: nowMs + leaseMs }
    const [, , returned, abandoned, , ...innocent] = await db.transaction([
      shortenLeases(far),
      shortenAwaiting(far),
      returnLostLeases(nowMs),
      listAbandonedWork(nowMs - silentLeasesMax * leaseMs),
      forgetLaneWorkers(nowMs),
      ...this.#stopping.map(takeBackCrashes),
      // The leases are added so that no pause is cut short where clocks differ a little.
      ...pauses.map(([lane, pauseMs]) =>
        shortenPauses(lane as Lane, { beyondMs: farMs + pauseMs, toMs: nowMs }),
      ),
    ] as const)
    if (returned.length > 0) onReclaimed(returned.length)
    announce(returned)
    announce(innocent.flat())
    if (nowMs > this.#stoppingUntilMs) this.#forgetStopping()
    await this.#cancelAbandoned(abandoned.map(({ work_id }) => work_id))
  }

  #forgetStopping(): void {
    if (this.#stopping.length === 0) return
    this.#stopping = []
    this.#parts.unreleased?.runOut()
  }

  async #cancelAbandoned(workIds: readonly string[]): Promise<void> {
    for (const workId of workIds) {
      try {
        await this.#onAbandoned?.(workId)
        this.#abandoned.delete(workId)
      } catch (error) {
        const { log } = this.#parts
        log.warn({ err: error, workId }, 'Failed to cancel work whose caller is gone.')
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
