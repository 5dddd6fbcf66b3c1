import { flowName, readFlow } from '../domain/task/flow.ts'
import type { Lane } from '../domain/task/lane.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { isStoreUnavailable } from '../storage/outages/store-unavailable.ts'
import type { Statement } from '../storage/statement.ts'
import {
  type ClaimedEntry,
  insertLeasedEntry,
  type LeaseTerms,
  type NewEntry,
  type ReturnedEntry,
  type SilenceTerms,
} from '../storage/tables/queue-entries.ts'
import { BegunWork } from './begun-work.ts'
import { ConcurrencyLimits } from './concurrency-limits.ts'
import { CrashIsolation } from './crash-isolation.ts'
import { EntryClaimer } from './entry-claimer.ts'
import type { FlowClaim } from './fair-flows.ts'
import { HeldEntry, LeaseLost, type UnwrittenWork } from './held-entry.ts'
import { LaneFlows } from './lane-flows.ts'
import { type LaneOptions, slotsMaxOf } from './lane-options.ts'
import { LanePoller } from './lane-poller.ts'
import { LaneSlots } from './lane-slots.ts'
import type { PendingEntries } from './pending-entries.ts'
import { Preloads } from './preloads.ts'
import { SlowWork } from './slow-work.ts'

interface LaneParts {
  db: Database
  log: Log
  leasedBy: string
  leaseMs: number
  /** Which callers at other processes are silent now. */
  silence(): SilenceTerms
  onFenced(): void
  /** Tells the lanes of this process and of others that entries are ready. */
  announce(entries: readonly ReturnedEntry[]): void
}

/** A new entry on its way into the store; one of the two calls must follow the transaction. */
export interface PendingEnqueue<Preloaded> {
  readonly statement: Statement<never>
  committed(preloaded: Preloaded): void
  withdrawn(): void
}

/** A slot that is held for new work. */
export interface ReservedSlot<Preloaded> {
  begin(preloaded: Preloaded): void
}

// Bounds prefetched entries, which many silent receivers would otherwise pile up.
const prefetchedPerSlot = 2
const retryAfterDefectMs = 5_000
const putAsideMs = 1_000
export const workLostMessage = 'Work was given up, as its lease was lost.'

/** One lane of this process: claims entries while it has slots, works on them, and claims again. */
export class LaneWorker<Preloaded> implements AsyncDisposable {
  readonly lane: Lane
  readonly #options: LaneOptions<Preloaded>
  readonly #parts: LaneParts
  readonly #slotsMax: () => number
  readonly #isolation: CrashIsolation
  // Not a map by id: an entry that was lost may be claimed again before the work on it has ended.
  readonly #held = new Set<HeldEntry>()
  readonly preloads: Preloads<Preloaded>
  readonly begunWork: BegunWork
  readonly #limits: ConcurrencyLimits
  readonly #flows: LaneFlows
  readonly #claimer: EntryClaimer
  readonly #poller: LanePoller
  readonly #slowWork: SlowWork
  readonly #slots: LaneSlots
  readonly #claims = new Set<Promise<unknown>>()
  /** False from a failed write of begun work on until new work is written: what begins could not end. */
  #mayBegin = true
  #isStopping = false
  #isOver = false
  #onIdle: (() => void) | undefined

  constructor(options: LaneOptions<Preloaded>, parts: LaneParts) {
    this.lane = options.lane
    this.#options = options
    this.#parts = parts
    this.#slotsMax = slotsMaxOf(options)
    this.preloads = new Preloads(options.preloadedBytes)
    const isShared = parts.db.isShared
    this.#limits = new ConcurrencyLimits((...use) => options.limitOf(...use), {
      // On a shared store other processes could not claim what is prefetched here.
      perKeyMax: isShared ? 0 : (options.prefetchMax ?? 0),
      totalMax: prefetchedPerSlot * this.#slotsMax(),
    })
    this.#flows = new LaneFlows(this.#limits)
    this.#claimer = new EntryClaimer(options.lane, parts, this.#limits)
    this.#slowWork = new SlowWork({ ...options, slotsMax: this.#slotsMax }, () => this.resume())
    const counted = { held: this.#held, limits: this.#limits, slowWork: this.#slowWork }
    this.#slots = new LaneSlots({ ...options, ...counted, slotsMax: this.#slotsMax })
    this.#isolation = (options.isolation ?? new CrashIsolation()).join(this)
    this.begunWork = new BegunWork(this.#held, parts.db)
    this.#poller = new LanePoller(options.lane, parts, (flows) => {
      void this.begunWork.writeOld()
      this.announce(flows)
    })
  }

  get held(): ReadonlySet<HeldEntry> {
    return this.#held
  }

  /** Whether it would claim a ready entry now. */
  get canClaim(): boolean {
    return this.#slots.freeCount > 0 && this.#mayStart
  }

  /** Whether other processes are to see that this one works on the lane. */
  get isAdvertised(): boolean {
    return !this.#isStopping && (this.#options.isAdvertised?.() ?? false)
  }

  /** How many entries it works on at once. */
  get slots(): number {
    return this.#slotsMax()
  }

  get busyCount(): number {
    return this.#slots.busyCount
  }

  /**
   * Leases a new entry with its insertion, unless it would overtake one that waits. In a full lane, that of an
   * account that holds no slot begins at once too.
   */
  tryLease(entry: NewEntry): PendingEnqueue<Preloaded> | undefined {
    const terms = this.#claimer.leaseTerms()
    const held = this.#tryHold(entry, terms)
    return (
      held && {
        statement: insertLeasedEntry(entry, terms),
        committed: (preloaded) => {
          held.isCommitted = true
          this.#mayBegin = true
          void this.#start(held, () => preloaded)
        },
        withdrawn: () => this.#leave(held),
      }
    )
  }

  /** Reserves a slot under the same conditions; the work begins in it before it is written. */
  tryBegin(entry: NewEntry, work: PendingEntries): ReservedSlot<Preloaded> | undefined {
    if (!this.#mayBegin) return undefined
    const { nowMs } = this.#claimer.leaseTerms()
    const unwritten = { work, entry: () => this.#insertBegun(entry, nowMs) }
    const held = this.#tryHold(entry, { nowMs }, unwritten)
    return held && { begin: (preloaded) => void this.#start(held, () => preloaded) }
  }

  #insertBegun(entry: NewEntry, startedAtMs: number): Statement<never> {
    const terms = this.#claimer.leaseTerms()
    const awaited = entry.awaited && { ...entry.awaited, untilMs: terms.leasedUntilMs }
    return insertLeasedEntry({ ...entry, awaited }, { ...terms, nowMs: startedAtMs })
  }

  #tryHold(
    entry: NewEntry,
    { nowMs }: Pick<LeaseTerms, 'nowMs'>,
    unwritten?: UnwrittenWork,
  ): HeldEntry | undefined {
    const flow = readFlow(flowName(entry))
    if (!this.#mayStart || !this.#poller.isComplete || this.#flows.isBacklogged(flow)) {
      return undefined
    }
    if (this.#slots.freeCount <= 0 && !this.#slots.extra?.(flow.accountId, 0)) return undefined
    // Only a claim counts the entries of the key that other processes hold.
    if (this.#claimer.globalLimit(flow) !== undefined) return undefined
    if (!this.#limits.hasFree(flow)) return undefined
    if (!this.#slots.mayHaveMore(flow.accountId, 0)) return undefined
    const claimed = {
      ...entry,
      flow: flow.name,
      concurrencyKey: flow.concurrencyKey,
      fence: 1,
      crashes: 0,
      startedAtMs: nowMs,
      isCallerSilent: false,
    }
    const held = this.#newHeld(claimed, { isCommitted: false, ...(unwritten && { unwritten }) })
    this.#limits.claim(flow)
    this.#held.add(held)
    return held
  }

  /** The flows may have ready entries. */
  announce(flows: readonly string[]): void {
    for (const flow of flows) this.#flows.announce(flow)
    this.#fillSlots()
  }

  /** Looks for ready entries that were not announced. */
  poll(): void {
    void this.#poller.poll()
  }

  /** To be called when more may be started than before. */
  resume(): void {
    this.#fillSlots()
  }

  /** Returns the prefetched entries of a key to the store, because their destination has changed. */
  async releasePrefetched(concurrencyKey: string): Promise<void> {
    const prefetched = [...this.#held].filter(
      (held) => held.isWaiting && held.concurrencyKey === concurrencyKey,
    )
    for (const held of prefetched) held.lose()
    await this.#parts.db.transaction(prefetched.map((held) => held.release()))
  }

  /** Aborts work that was cancelled. */
  abortWork(workId: string): void {
    for (const held of this.#held) if (held.workId === workId) held.lose()
  }

  /** Aborts all work without an outcome; the next worker on the store does it again. */
  abortAllWork(): void {
    for (const held of this.#held) held.lose()
  }

  stopClaiming(): void {
    this.#isStopping = true
    for (const held of this.#held) if (held.isWaiting) held.lose()
    this.#poller[Symbol.dispose]()
    this.#slowWork[Symbol.dispose]()
  }

  async whenIdle(): Promise<void> {
    await Promise.all(this.#claims)
    if (this.#held.size === 0) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopClaiming()
    this.#isOver = true
    this.abortAllWork()
    await Promise.all(this.#claims)
  }

  get #mayStart(): boolean {
    return !this.#isStopping && !this.#isolation.isActive
  }

  #fillSlots(): void {
    if (!this.#mayStart) return
    for (const planned of this.#planClaims(this.#slots.freeCount)) void this.#startClaim(planned)
    for (let planned = this.#planExtraClaim(); planned; planned = this.#planExtraClaim()) {
      void this.#startClaim(planned)
    }
    // After the others have had a turn, or a number of such entries would stop the lanes for long.
    if (this.#flows.hasIsolated && this.#slotsMax() > 0) this.#isolation.isolate(this)
  }

  #planClaims(free: number, mayHaveMore = this.#slots.mayHaveMore): FlowClaim[] {
    return this.#flows.planClaims({ free, forSuspects: this.#slots.freeForSuspects }, mayHaveMore)
  }

  /** A claim beyond the slots of the lane, for an account that holds none of them. */
  #planExtraClaim(): FlowClaim | undefined {
    const extraSlots = this.#slots.freeCount > 0 ? undefined : this.#slots.extra
    return extraSlots && this.#planClaims(1, extraSlots)[0]
  }

  async runIsolated(): Promise<boolean> {
    const planned = this.#isStopping ? undefined : this.#flows.planIsolatedClaim()
    if (!planned) return false
    await this.#startClaim(planned)
    return this.#flows.hasIsolated
  }

  /** Resolves when the work that was claimed has ended. */
  async #startClaim(planned: FlowClaim): Promise<void> {
    this.#slots.claims.add(planned)
    const claiming = this.#claim(planned)
    this.#claims.add(claiming)
    const runs = await claiming.finally(() => this.#claims.delete(claiming))
    await Promise.all(runs)
  }

  async #claim(planned: FlowClaim): Promise<Promise<void>[]> {
    const { log } = this.#parts
    let entries: ClaimedEntry[] = []
    let isAnswered = true
    try {
      const [claimed, more] = await this.#claimer.claim(planned)
      entries = claimed
      this.#flows.claimed(planned, claimed.length, more.length > 0)
    } catch (error) {
      isAnswered = false
      this.#flows.claimed(planned, 0, false)
      log.warn({ err: error, lane: this.lane }, 'Failed to claim entries; polling again in 1 s.')
    }
    this.#slots.claims.delete(planned)
    // After the end of the queue the process releases all its leases, these included.
    if (this.#isOver) return []
    const runs = entries.toSorted(byId).map((entry) => {
      const held = this.#newHeld(entry, { isCommitted: true })
      this.#held.add(held)
      // It is not ready again before its caller is heard.
      return entry.isCallerSilent
        ? this.#postpone(held, putAsideMs)
        : this.#start(held, () => this.preloads.take(entry))
    })
    this.#isolation.startIfIdle()
    if (isAnswered) this.#fillSlots()
    return runs
  }

  async #start(held: HeldEntry, preload: () => Preloaded | undefined): Promise<void> {
    if (held.signal.aborted) this.#leave(held)
    else await this.#run(held, preload)
  }

  async #run(held: HeldEntry, preload: () => Preloaded | undefined): Promise<void> {
    try {
      // Without a key nothing is awaited, so that the work starts synchronously in `committed`.
      if (held.concurrencyKey === undefined || (await held.acquireKey())) {
        this.#slowWork.begin(held)
        await this.#options.work(held, preload())
      }
      this.#leave(held)
    } catch (error) {
      if (error instanceof LeaseLost || held.signal.aborted) this.#leave(held)
      else if (isOutage(error)) await this.#postpone(held, 0)
      else {
        this.#parts.log.error(
          { err: error, lane: this.lane, workId: held.workId },
          'Work ended without an outcome; retrying in 5 s.',
        )
        await this.#postpone(held, retryAfterDefectMs)
      }
    }
  }

  async #postpone(held: HeldEntry, afterMs: number): Promise<void> {
    try {
      await held.postpone(this.#parts.db.nowMs() + afterMs, [])
    } catch (error) {
      this.#parts.log.error(
        { err: error, lane: this.lane, workId: held.workId },
        'Failed to postpone work; its lease will run out.',
      )
    }
    this.#leave(held)
  }

  #newHeld(
    entry: ClaimedEntry,
    writing: { isCommitted: boolean; unwritten?: UnwrittenWork },
  ): HeldEntry {
    const { db, leasedBy, onFenced, announce } = this.#parts
    return new HeldEntry(entry, {
      db,
      leasedBy,
      ...writing,
      onFenced,
      onFirstWriteFailed: () => {
        this.#mayBegin = false
      },
      onPostponed: (dueAtMs) => this.#poller.expectDue(dueAtMs),
      onMoved: (moved) => announce([moved]),
      isKeyCountedInStore: this.#claimer.globalLimit(entry) !== undefined,
      limits: this.#limits,
      onKeyReleased: (key) => {
        this.#flows.unblock(key)
        this.#fillSlots()
      },
    })
  }

  #leave(held: HeldEntry): void {
    const { lane } = this
    if (held.signal.aborted) this.#parts.log.debug({ lane, workId: held.workId }, workLostMessage)
    this.#held.delete(held)
    this.#slowWork.end(held)
    void held.close()
    this.#fillSlots()
    if (this.#held.size === 0) this.#onIdle?.()
    this.#isolation.startIfIdle()
  }
}

/** Not the fault of the work, so it is retried at once and not logged here. */
const isOutage = isStoreUnavailable

const byId = (one: ClaimedEntry, other: ClaimedEntry): number => (one.id < other.id ? -1 : 1)
