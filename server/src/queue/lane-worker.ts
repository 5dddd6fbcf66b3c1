import { flowName, readFlow } from '../domain/task/flow.ts'
import type { Lane } from '../domain/task/lane.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import {
  type ClaimedEntry,
  claimEntries,
  claimEntriesWithin,
  insertLeasedEntry,
  type LeaseTerms,
  lockConcurrencyKey,
  type NewEntry,
} from '../storage/queue-entries-table.ts'
import { findReady } from '../storage/queue-queries.ts'
import type { Statement } from '../storage/statement.ts'
import { isStoreUnavailable } from '../storage/store-unavailable.ts'
import { ConcurrencyLimits } from './concurrency-limits.ts'
import { CrashIsolation } from './crash-isolation.ts'
import { FairFlows, type Turn } from './fair-flows.ts'
import { HeldEntry, LeaseLost } from './held-entry.ts'
import { type LaneOptions, slotsMaxOf } from './lane-options.ts'
import { LanePoller } from './lane-poller.ts'
import { Preloads } from './preloads.ts'
import { SlowWork } from './slow-work.ts'

interface LaneParts {
  db: Database
  log: Log
  leasedBy: string
  leaseMs: number
  onFenced(): void
}

/** A new entry on its way into the store; one of the two calls must follow the transaction. */
export interface PendingEnqueue<Preloaded> {
  readonly statement: Statement<never>
  committed(preloaded: Preloaded): void
  withdrawn(): void
}

// A claim without a response is released by the lease keeper.
const claimMsMax = 5_000
// What is prefetched is held, so many silent receivers must not make it grow without end.
const prefetchedPerSlot = 2
const brokenComesAgainAfterMs = 5_000

/** One lane of this process: claims entries while it has slots, works on them, and claims again. */
export class LaneWorker<Preloaded> implements AsyncDisposable {
  readonly lane: Lane
  readonly #options: LaneOptions<Preloaded>
  readonly #parts: LaneParts
  readonly #slotsMax: () => number
  readonly #crashesBeforeIsolation: number
  readonly #isolation: CrashIsolation
  // Not by id: what was lost may be claimed again before the work on it has ended.
  readonly #held = new Set<HeldEntry>()
  readonly preloads: Preloads<Preloaded>
  readonly #limits: ConcurrencyLimits
  readonly #flows: FairFlows
  readonly #poller: LanePoller
  readonly #slowWork: SlowWork
  readonly #claims = new Set<Promise<void>>()
  #beingClaimedCount = 0
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
    this.#limits = new ConcurrencyLimits((key) => options.limitOf(key), {
      // Where others share the store, what is prefetched here would be missing to them.
      perKeyMax: isShared ? 0 : (options.prefetchMax ?? 0),
      totalMax: prefetchedPerSlot * this.#slotsMax(),
    })
    this.#flows = new FairFlows(this.#limits)
    this.#slowWork = new SlowWork({ ...options, slotsMax: this.#slotsMax }, () => this.resume())
    this.#crashesBeforeIsolation = options.crashesBeforeIsolation ?? Number.POSITIVE_INFINITY
    this.#isolation = (options.isolation ?? new CrashIsolation()).join(this)
    this.#poller = new LanePoller(options.lane, parts, (flows) => this.announce(flows))
  }

  get held(): ReadonlySet<HeldEntry> {
    return this.#held
  }

  /** Whether it would claim what is ready now. */
  get canTake(): boolean {
    return this.#freeSlots > 0 && this.#mayStart
  }

  /** Whether others are to hear that the lane is worked on here. */
  get isAdvertised(): boolean {
    return !this.#isStopping && (this.#options.isAdvertised?.() ?? false)
  }

  get busyCount(): number {
    return this.#held.size + this.#beingClaimedCount
  }

  /** Leases something new as it is written, if that passes by nobody who waits already. */
  tryLease(entry: NewEntry): PendingEnqueue<Preloaded> | undefined {
    const { concurrencyKey } = entry
    const flow = readFlow(flowName(entry))
    if (!this.canTake || !this.#poller.isComplete || this.#flows.isBacklogged(flow))
      return undefined
    // Other processes may hold the key, which only a claim takes into account.
    if (this.#globalLimit(concurrencyKey) !== undefined) return undefined
    if (!this.#limits.hasFree(concurrencyKey)) return undefined
    const terms = this.#terms()
    const held = this.#newHeld(
      { ...entry, flow: flow.name, concurrencyKey, fence: 1, crashes: 0, startedAtMs: terms.nowMs },
      false,
    )
    this.#limits.claim(concurrencyKey)
    this.#held.add(held)
    return {
      statement: insertLeasedEntry(entry, terms),
      committed: (preloaded) => {
        held.isCommitted = true
        this.#start(held, () => preloaded)
      },
      withdrawn: () => this.#leave(held),
    }
  }

  /** The flows have something ready, or may have. */
  announce(flows: readonly string[]): void {
    for (const flow of flows) this.#flows.announce(flow)
    this.#fillSlots()
  }

  /** Something may be ready that nobody has named. */
  poll(): void {
    void this.#poller.poll()
  }

  /** More may be started than before. */
  resume(): void {
    this.#fillSlots()
  }

  /** Returns to the store what was prefetched of a key: what it waits for has changed. */
  async releasePrefetched(concurrencyKey: string): Promise<void> {
    const prefetched = [...this.#held].filter(
      (held) => held.isWaiting && held.concurrencyKey === concurrencyKey,
    )
    for (const held of prefetched) held.lose()
    await this.#parts.db.transaction(prefetched.map((held) => held.release()))
  }

  /** Ends the work on one thing that nobody wants any more. */
  loseWork(workId: string): void {
    for (const held of this.#held) if (held.workId === workId) held.lose()
  }

  /** Ends all work under way without an outcome; the next worker on the store does it again. */
  endAllWork(): void {
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
    this.endAllWork()
    await Promise.all(this.#claims)
  }

  get #mayStart(): boolean {
    return !this.#isStopping && !this.#isolation.isActive
  }

  get #freeSlots(): number {
    const runningCount = this.#held.size - this.#limits.waitingCount
    return this.#slotsMax() + this.#slowWork.count - runningCount - this.#beingClaimedCount
  }

  #fillSlots(): void {
    if (!this.canTake) return
    for (const turn of this.#flows.takeTurns(this.#freeSlots)) {
      this.#beingClaimedCount += turn.count
      const claiming = this.#claim(turn).finally(() => this.#claims.delete(claiming))
      this.#claims.add(claiming)
    }
  }

  async #claim(turn: Turn): Promise<void> {
    const { log } = this.#parts
    let entries: ClaimedEntry[] = []
    let isAnswered = true
    try {
      const [claimed, more] = await this.#claimFrom(turn)
      entries = claimed
      this.#flows.claimed(turn, claimed.length, more.length > 0)
    } catch (error) {
      isAnswered = false
      this.#flows.claimed(turn, 0, false)
      log.warn({ err: error, lane: this.lane }, 'Failed to claim entries; polling again in 1 s.')
    }
    this.#beingClaimedCount -= turn.count
    // What comes too late is released with all that the process holds.
    if (this.#isOver) return
    for (const entry of entries.toSorted(byId)) {
      const held = this.#newHeld(entry, true)
      this.#held.add(held)
      this.#start(held, () => this.preloads.take(entry))
    }
    this.#isolation.startIfAlone()
    if (isAnswered) this.#fillSlots()
  }

  #claimFrom({ flow, count }: Turn): Promise<[ClaimedEntry[], { id: string }[]]> {
    const { db } = this.#parts
    const wanted = { lane: this.lane, flow: flow.name, entriesMax: count }
    const more = findReady(this.lane, flow.name)
    const limits = { deadlineMs: claimMsMax }
    const key = flow.concurrencyKey
    const max = this.#globalLimit(key)
    if (key === undefined || max === undefined) {
      return db.transaction([claimEntries(wanted, this.#terms()), more] as const, limits)
    }
    const claim = claimEntriesWithin(wanted, { concurrencyKey: key, max }, this.#terms())
    return db
      .transaction([lockConcurrencyKey(key), claim, more] as const, limits)
      .then(([, ...results]) => results)
  }

  /** The limit of a key that other processes may hold as well. */
  #globalLimit(key: string | undefined): number | undefined {
    const limit = key === undefined ? undefined : this.#limits.of(key)
    return limit?.isGlobal && this.#parts.db.isShared ? limit.max : undefined
  }

  #start(held: HeldEntry, preload: () => Preloaded | undefined): void {
    if (held.signal.aborted) this.#leave(held)
    else if (held.crashes < this.#crashesBeforeIsolation) void this.#run(held, preload)
    else if (!this.#isolation.isolate(held, () => void this.#run(held, () => undefined))) {
      void this.#postpone(held, brokenComesAgainAfterMs)
    }
  }

  async #run(held: HeldEntry, preload: () => Preloaded | undefined): Promise<void> {
    try {
      // Without a key nothing is waited for, so that work starts in the call that hands it over.
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
          'Work ended without an outcome; it is tried again in 5 s.',
        )
        await this.#postpone(held, brokenComesAgainAfterMs)
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

  #newHeld(entry: ClaimedEntry, isCommitted: boolean): HeldEntry {
    const { db, leasedBy, onFenced } = this.#parts
    return new HeldEntry(entry, {
      db,
      leasedBy,
      isCommitted,
      onFenced,
      onPostponed: (dueAtMs) => this.#poller.expectDue(dueAtMs),
      isKeyCountedInStore: this.#globalLimit(entry.concurrencyKey) !== undefined,
      limits: this.#limits,
      onKeyReleased: (key) => {
        this.#flows.unblock(key)
        this.#fillSlots()
      },
    })
  }

  #leave(held: HeldEntry): void {
    this.#held.delete(held)
    this.#slowWork.end(held)
    this.#isolation.leave(held, this)
    held.leaveKey()
    this.#fillSlots()
    if (this.#held.size === 0) this.#onIdle?.()
    this.#isolation.startIfAlone()
  }

  #terms(): LeaseTerms {
    const { db, leasedBy, leaseMs } = this.#parts
    const nowMs = db.nowMs()
    return { leasedBy, leasedUntilMs: nowMs + leaseMs, nowMs }
  }
}

/** The work cannot be blamed, and the store says for itself when it is back. */
const isOutage = isStoreUnavailable

const byId = (one: ClaimedEntry, other: ClaimedEntry): number => (one.id < other.id ? -1 : 1)
