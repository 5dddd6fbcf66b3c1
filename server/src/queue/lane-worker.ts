import type { Lane } from '../domain/lane.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import {
  type ClaimedEntry,
  claimEntries,
  claimParkedEntries,
  insertLeasedEntry,
  type LeaseTerms,
  type NewEntry,
  waitForTurnToClaim,
} from '../storage/queue-entries.ts'
import type { Statement } from '../storage/statement.ts'
import { isStoreUnavailable } from '../storage/store-unavailable.ts'
import { Gates, type InLine } from './gates.ts'
import { HeldEntry, LeaseLost } from './held-entry.ts'
import { type LaneOptions, slotsMaxOf } from './lane-options.ts'
import { LaneWatch } from './lane-watch.ts'
import type { HeldNewEntry, ParkedNewEntry } from './new-entries.ts'
import { claimedAtOnceMax, claimMsMax, type GatedEntry, Parking } from './parking.ts'
import { SlowWork } from './slow-work.ts'
import { Solitude } from './solitude.ts'

interface LaneParts {
  db: Database
  log: Log
  leasedBy: string
  leaseMs: number
  onFenced(): void
}

const botchedComesAgainAfterMs = 5_000
// More would be begun before whoever is claimed from the store, where accounts take turns.
const inLinePerSlot = 2

/** One lane of this process: claims while it has slots, works, and claims again. */
export class LaneWorker<Handed> implements AsyncDisposable {
  readonly lane: Lane
  readonly #options: LaneOptions<Handed>
  readonly #parts: LaneParts
  readonly #slotsMax: () => number
  readonly #crashesBeforeAlone: number
  readonly #solitude: Solitude
  // Not by id: what was lost may be claimed again before the work on it has ended.
  readonly #held = new Set<HeldEntry>()
  readonly #gates: Gates<Handed>
  readonly #parking: Parking
  readonly #watch: LaneWatch
  readonly #slowWork: SlowWork
  #mayHaveMore = true
  // More was ready than could be claimed, as far as is known.
  #isBacklogged = true
  #claiming: Promise<void> | undefined
  #beingClaimedMax = 0
  #turn = 0
  #isStopping = false
  #isOver = false
  #onIdle: (() => void) | undefined

  constructor(options: LaneOptions<Handed>, parts: LaneParts) {
    this.lane = options.lane
    this.#options = options
    this.#parts = parts
    this.#slotsMax = slotsMaxOf(options)
    this.#gates = new Gates(
      (gate, taken) => options.hasRoom(gate, taken),
      () => inLinePerSlot * this.#slotsMax(),
    )
    this.#parking = new Parking({
      ...parts,
      lane: options.lane,
      gates: this.#gates,
      freeSlots: () => (this.#mayBegin ? this.#freeSlots : 0),
      countPlaces: (gate) =>
        this.#keepsLines && this.#mayBegin ? this.#gates.countPlaces(gate) : 0,
      claimParked: (gate, entriesMax) =>
        this.#claimInTurn(claimParkedEntries(gate, entriesMax, this.#terms())),
      take: (entries) => this.#takeParked(entries),
    })
    this.#slowWork = new SlowWork({ ...options, slotsMax: this.#slotsMax }, () => this.resume())
    this.#crashesBeforeAlone = options.crashesBeforeAlone ?? Number.POSITIVE_INFINITY
    this.#solitude = (options.solitude ?? new Solitude()).join(this)
    this.#watch = new LaneWatch(options.lane, parts, () => this.wake())
    void this.#watch.look().then(() => this.#claim())
  }

  get held(): ReadonlySet<HeldEntry> {
    return this.#held
  }

  /** Whether it would claim what is ready now. */
  get canTake(): boolean {
    return this.#freeSlots > 0 && this.#mayBegin
  }

  /** Whether others are to hear that the lane is worked on here. */
  get isAdvertised(): boolean {
    return !this.#isStopping && (this.#options.isAdvertised?.() ?? false)
  }

  /** What is held here or may be any moment. */
  get busyCount(): number {
    return this.#held.size + this.#parking.expectedCount + this.#beingClaimedMax
  }

  get #mayBegin(): boolean {
    return !this.#isStopping && !this.#solitude.isSought
  }

  /** Holds something new at once, if that passes by nobody who waits already. */
  tryHold(entry: NewEntry): HeldNewEntry<Handed> | undefined {
    if (this.#isBacklogged || !this.#mayBegin) return undefined
    const { gate } = entry
    if (gate !== undefined && this.#parking.isUsedAt(gate)) return undefined
    const hasSlot = this.#freeSlots > 0
    const isBegun = hasSlot && (gate === undefined || this.#gates.hasRoom(gate, 0))
    const mayLineUp = (hasSlot || !this.#mayHaveMore) && this.#canLineUp(gate)
    if (!isBegun && !mayLineUp) return undefined
    const terms = this.#terms()
    const startedAtMs = terms.nowMs
    const held = this.#newHeld({ ...entry, gate, fence: 1, crashes: 0, startedAtMs }, false)
    const statement = insertLeasedEntry(entry, terms)
    if (isBegun) {
      this.#hold(held)
      const start = (handed: Handed) => {
        held.isCommitted = true
        this.#begin(held, handed)
      }
      return { statement, start, withdraw: () => this.#leave(held) }
    }
    const place = this.#lineUp(held)
    const start = (handed: Handed) => {
      held.isCommitted = true
      place.handed = this.#options.lighten?.(handed) ?? handed
      this.#callInLine()
    }
    return { statement, start, withdraw: () => this.#leaveLine(place) }
  }

  /** Writes something new as parked, if nobody could work on it now. */
  tryParking(entry: NewEntry): ParkedNewEntry | undefined {
    const { gate } = entry
    const isPossible = this.#options.areGatesShared === true && !this.#isStopping
    const statement = isPossible ? this.#parking.tryParking(entry) : undefined
    if (gate === undefined || !statement) return undefined
    return { statement, expect: () => this.expectParked(gate) }
  }

  #canLineUp(gate: string | undefined): boolean {
    return this.#keepsLines && gate !== undefined && this.#gates.canLineUp(gate)
  }

  /** Where nobody else is at the gates, whoever finds one full is kept in line without the store. */
  get #keepsLines(): boolean {
    return this.#options.areGatesShared === true && this.#parts.db.kind === 'sqlite'
  }

  get #freeSlots(): number {
    const workedOn = this.#held.size - this.#gates.inLineCount
    const underWay = this.#parking.expectedCount + this.#beingClaimedMax
    return this.#slotsMax() + this.#slowWork.count - workedOn - underWay
  }

  /** There may be something to claim. */
  wake(): void {
    this.#mayHaveMore = true
    this.#claim()
  }

  /** More may be begun than before. */
  resume(): void {
    this.#fillSlots()
  }

  /** Something is parked at the gate, by whomever. */
  async expectParked(gate: string): Promise<void> {
    this.#parking.expectAt(gate)
    // What is ready has waited for longer.
    await this.#claiming
    this.#parking.refill(gate)
  }

  /** Gives back whoever is in line at the gate: what they waited for has changed. */
  async emptyLine(gate: string): Promise<void> {
    const waiting = this.#gates.takeLine(gate)
    if (waiting.length === 0) return
    for (const held of waiting) this.#held.delete(held)
    await this.#parts.db.transaction(waiting.map((held) => held.release()))
  }

  /** Ends the work on one thing that nobody wants any more. */
  loseWork(workId: string): void {
    for (const held of this.#held) if (held.workId === workId) held.lose()
  }

  /** Ends all work under way without an outcome; whoever is next on the store does it again. */
  endAllWork(): void {
    for (const held of this.#held) held.lose()
  }

  stopClaiming(): void {
    this.#isStopping = true
    this.#watch[Symbol.dispose]()
    this.#slowWork[Symbol.dispose]()
  }

  async whenIdle(): Promise<void> {
    await this.#claiming
    await this.#parking.whenIdle()
    if (this.#held.size === this.#gates.inLineCount) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopClaiming()
    this.#isOver = true
    this.endAllWork()
    await this.#claiming
    await this.#parking.whenIdle()
  }

  #claim(): void {
    if (this.#claiming || !this.#mayHaveMore || !this.canTake) return
    this.#claiming = this.#claimSome().then((isAnswered) => {
      this.#claiming = undefined
      this.#parking.refillHungry()
      this.#solitude.look()
      if (isAnswered) this.#claim()
    })
  }

  async #claimSome(): Promise<boolean> {
    const { log } = this.#parts
    const entriesMax = Math.min(this.#freeSlots, claimedAtOnceMax)
    this.#mayHaveMore = false
    this.#beingClaimedMax = entriesMax
    try {
      const entries = await this.#claimInTurn(claimEntries(this.lane, entriesMax, this.#terms()))
      this.#beingClaimedMax = 0
      this.#isBacklogged = entries.length === entriesMax
      if (this.#isBacklogged) this.#mayHaveMore = true
      // What comes too late is given back with all that the process holds.
      if (!this.#isOver) await this.#take(entries)
      return true
    } catch (error) {
      this.#beingClaimedMax = 0
      this.#mayHaveMore = true
      log.warn({ err: error, lane: this.lane }, 'Nothing could be claimed.')
      this.#callInLine()
      return false
    }
  }

  async #claimInTurn(claim: Statement<ClaimedEntry>): Promise<ClaimedEntry[]> {
    const { db } = this.#parts
    const limits = { deadlineMs: claimMsMax }
    const isInTurn = this.#options.areGatesShared && db.kind === 'postgres'
    if (!isInTurn) return db.run(claim, limits)
    // A claim that does not see what another takes at the same time would overfill the gate.
    const [, entries] = await db.transaction([waitForTurnToClaim(), claim] as const, limits)
    return entries
  }

  /** Begins, lines up or parks what was claimed; resolves with how many were not parked. */
  async #take(entries: readonly ClaimedEntry[]): Promise<number> {
    const begun: HeldEntry[] = []
    const parked: GatedEntry[] = []
    for (const entry of entries.toSorted(byPlaceInLine)) {
      const { gate } = entry
      const isFull = gate !== undefined && !this.#gates.hasRoom(gate, entry.leasedElsewhere)
      // Only where lines are kept may more be claimed than there are slots for.
      const isTooMuch = isFull || (this.#keepsLines && this.#freeSlots <= 0)
      const isBehind = gate !== undefined && this.#gates.hasLine(gate)
      if ((isTooMuch || isBehind) && this.#canLineUp(gate)) this.#lineUp(this.#newHeld(entry, true))
      else if (isTooMuch && gate !== undefined) parked.push({ ...entry, gate })
      else begun.push(this.#hold(this.#newHeld(entry, true)))
    }
    // First of all, lest one that takes the process down makes suspects of those that did not run.
    if (parked.length > 0) await this.#parking.park(parked)
    for (const held of begun) this.#begin(held, undefined)
    this.#callInLine()
    return entries.length - parked.length
  }

  async #takeParked(entries: readonly ClaimedEntry[]): Promise<number> {
    // What comes too late is given back with all that the process holds.
    if (this.#isOver) return 0
    const keptCount = await this.#take(entries)
    // What was meant for more of them is free again.
    this.#solitude.look()
    this.#claim()
    return keptCount
  }

  #begin(held: HeldEntry, handed: Handed | undefined): void {
    if (held.signal.aborted) this.#leave(held)
    else if (held.crashes < this.#crashesBeforeAlone) void this.#run(held, handed)
    else if (!this.#solitude.seek(held, () => void this.#run(held, undefined))) {
      void this.#giveBack(held, botchedComesAgainAfterMs)
    }
  }

  async #run(held: HeldEntry, handed: Handed | undefined): Promise<void> {
    this.#slowWork.begin(held)
    try {
      await this.#options.work(held, handed)
      this.#leave(held)
    } catch (error) {
      if (error instanceof LeaseLost || held.signal.aborted) this.#leave(held)
      else if (isOutage(error)) await this.#giveBack(held, 0)
      else {
        this.#parts.log.error({ err: error, lane: this.lane }, 'Work ended without an outcome.')
        await this.#giveBack(held, botchedComesAgainAfterMs)
      }
    }
  }

  async #giveBack(held: HeldEntry, afterMs: number): Promise<void> {
    try {
      await held.postpone(this.#parts.db.nowMs() + afterMs, [])
    } catch (error) {
      this.#parts.log.error({ err: error, lane: this.lane }, 'Work could not be given back.')
    }
    this.#leave(held)
  }

  #newHeld(entry: HoldableEntry, isCommitted: boolean): HeldEntry {
    const { db, leasedBy, onFenced } = this.#parts
    const watch = { onFenced, onPostponed: (dueAtMs: number) => this.#watch.expectDue(dueAtMs) }
    return new HeldEntry(entry, { db, leasedBy, isCommitted, watch })
  }

  #hold(held: HeldEntry): HeldEntry {
    this.#held.add(held)
    if (held.gate !== undefined) this.#gates.enter(held.gate)
    return held
  }

  #lineUp(held: HeldEntry): InLine<Handed> {
    this.#held.add(held)
    return this.#gates.lineUp(held.gate ?? '', held)
  }

  /** Begins with whoever is in line and fits. */
  #callInLine(): void {
    if (this.#isStopping) return
    while (this.#freeSlots > 0) {
      const next = this.#gates.callNext()
      if (!next) return
      this.#gates.enter(next.gate)
      next.held.hasWaited = true
      this.#begin(next.held, next.handed)
    }
  }

  #leaveLine(place: InLine<Handed>): void {
    this.#gates.giveUpPlace(place)
    this.#held.delete(place.held)
    if (this.#held.size === this.#gates.inLineCount) this.#onIdle?.()
  }

  #leave(held: HeldEntry): void {
    this.#held.delete(held)
    this.#slowWork.end(held)
    this.#solitude.leave(held, this)
    if (held.gate !== undefined) this.#gates.leave(held.gate)
    this.#fillSlots()
    if (held.gate !== undefined) this.#parking.refill(held.gate)
    if (this.#held.size === this.#gates.inLineCount) this.#onIdle?.()
    this.#solitude.look()
    this.#claim()
  }

  /** What is ready, in line and parked is first by turns, or one would shut out the others. */
  #fillSlots(): void {
    const ways = [() => this.#claim(), () => this.#callInLine(), () => this.#parking.refillHungry()]
    this.#turn = (this.#turn + 1) % ways.length
    for (const [index] of ways.entries()) ways[(this.#turn + index) % ways.length]?.()
  }

  #terms(): LeaseTerms {
    const { db, leasedBy, leaseMs } = this.#parts
    const nowMs = db.nowMs()
    return { leasedBy, leasedUntilMs: nowMs + leaseMs, nowMs }
  }
}

/** The work cannot be blamed, and the store says for itself when it is back. */
const isOutage = isStoreUnavailable

type HoldableEntry = Omit<ClaimedEntry, 'position' | 'leasedElsewhere'>

const byPlaceInLine = (one: ClaimedEntry, other: ClaimedEntry): number =>
  one.position - other.position || (one.id < other.id ? -1 : 1)
