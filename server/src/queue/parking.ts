import type { Lane } from '../domain/lane.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import {
  type ClaimedEntry,
  insertParkedEntry,
  type NewEntry,
  parkEntry,
} from '../storage/queue-entries.ts'
import { findParkedAt } from '../storage/queue-looks.ts'
import type { Statement } from '../storage/statement.ts'
import type { Gates } from './gates.ts'

export type GatedEntry = ClaimedEntry & { gate: string }

// More in one statement saves little and delays whoever waits for the same store.
export const claimedAtOnceMax = 32
// A claim without an answer is given back by the keeper of the leases.
export const claimMsMax = 5_000

interface ParkingParts {
  db: Database
  log: Log
  lane: Lane
  leasedBy: string
  gates: Pick<Gates<unknown>, 'hasRoom' | 'hasLine'>
  /** None while nothing may be begun. */
  freeSlots(): number
  /** How many may line up at the gate; none while nothing may be begun. */
  countPlaces(gate: string): number
  claimParked(gate: string, entriesMax: number): Promise<ClaimedEntry[]>
  /** Resolves with how many need not be parked again. */
  take(entries: readonly ClaimedEntry[]): Promise<number>
}

/** Entries that found neither a slot nor a place in line at their gate, and wait in the store. */
export class Parking {
  readonly #parts: ParkingParts
  readonly #usedGates = new Set<string>()
  readonly #refilling = new Map<string, { done: Promise<void>; isAskedAgain: boolean }>()
  // Gates with room, but the lane had no slot for whoever is parked there.
  readonly #hungryGates = new Set<string>()
  #expectedCount = 0
  #expectedInLineCount = 0

  constructor(parts: ParkingParts) {
    this.#parts = parts
  }

  /** How many slots are meant for those that are being brought back. */
  get expectedCount(): number {
    return this.#expectedCount
  }

  isUsedAt(gate: string): boolean {
    return this.#usedGates.has(gate) || this.#refilling.has(gate)
  }

  /** Others parked something at the gate, so whoever leaves it has to look. */
  expectAt(gate: string): void {
    this.#usedGates.add(gate)
  }

  /** The statement to write a new entry as parked with, if it would be claimed in vain. */
  tryParking(entry: NewEntry): Statement<never> | undefined {
    const { gate } = entry
    if (gate === undefined) return undefined
    const isFull = this.isUsedAt(gate) || !this.#parts.gates.hasRoom(gate, 0)
    return isFull ? insertParkedEntry({ ...entry, gate }) : undefined
  }

  async park(entries: readonly GatedEntry[]): Promise<void> {
    const { db, log, lane, leasedBy } = this.#parts
    try {
      const parking = entries.map((entry) => parkEntry({ ...entry, leasedBy }))
      await db.transaction(parking, { deadlineMs: claimMsMax })
    } catch (error) {
      log.warn({ err: error, lane }, 'Entries could not be parked.')
      return
    }
    for (const [gate, parked] of Map.groupBy(entries, (entry) => entry.gate)) {
      this.#usedGates.add(gate)
      // Slots may have become free before these were parked.
      if (this.#hasRoomFor(gate, parked)) this.refill(gate)
    }
  }

  /** Brings back as many as there is room for, now that there may be some. */
  refill(gate: string): void {
    const underWay = this.#refilling.get(gate)
    if (underWay) underWay.isAskedAgain = true
    // Where others share the store, they may have parked something at the gate as well.
    const mayBeUsed = this.#usedGates.has(gate) || this.#parts.db.kind === 'postgres'
    const count = mayBeUsed && !underWay ? this.#countFree(gate) : 0
    if (count === 0) {
      if (!underWay && this.#usedGates.has(gate) && this.#isNext(gate)) this.#hungryGates.add(gate)
      return
    }
    const refilling = { done: Promise.resolve(), isAskedAgain: false }
    refilling.done = this.#bringBack(gate, count).then((keptCount) => {
      this.#refilling.delete(gate)
      if (keptCount > 0 || refilling.isAskedAgain) this.refill(gate)
    })
    this.#refilling.set(gate, refilling)
  }

  /** Brings back those at other gates who found no slot, before whoever came later takes it. */
  refillHungry(): void {
    for (const gate of this.#hungryGates) {
      if (this.#parts.freeSlots() <= 0) return
      this.#hungryGates.delete(gate)
      if (this.#isNext(gate)) this.refill(gate)
    }
  }

  async whenIdle(): Promise<void> {
    while (this.#refilling.size > 0) {
      await Promise.all([...this.#refilling.values()].map(({ done }) => done))
    }
  }

  async #bringBack(gate: string, count: number): Promise<number> {
    const { log, lane, take, freeSlots } = this.#parts
    const slotCount = Math.min(count, Math.max(freeSlots(), 0))
    const inLineCount = count - slotCount
    this.#expectedCount += slotCount
    this.#expectedInLineCount += inLineCount
    const claimed = await this.#claim(gate, count).catch((error) => {
      log.warn({ err: error, lane }, 'A gate could not be opened.')
      this.#usedGates.add(gate)
      return []
    })
    this.#expectedCount -= slotCount
    this.#expectedInLineCount -= inLineCount
    return await take(claimed)
  }

  async #claim(gate: string, count: number): Promise<ClaimedEntry[]> {
    const { db, claimParked } = this.#parts
    // Before the store is asked: what is parked meanwhile may be missing in the answer.
    const isKnown = this.#usedGates.delete(gate)
    // A look costs less than a turn to claim.
    const look = () => db.run(findParkedAt(gate), { deadlineMs: claimMsMax })
    if (!isKnown && (await look()).length === 0) return []
    const claimed = await claimParked(gate, count)
    if (claimed.length === count) this.#usedGates.add(gate)
    return claimed
  }

  /** Whether a slot would go to whoever is parked there: those in line were there before. */
  #isNext(gate: string): boolean {
    const { gates } = this.#parts
    return gates.hasRoom(gate, 0) && !gates.hasLine(gate)
  }

  #hasRoomFor(gate: string, [first]: readonly GatedEntry[]): boolean {
    return first !== undefined && this.#parts.gates.hasRoom(gate, first.leasedElsewhere)
  }

  /** How many could come to the gate: to its slots, and to a line that is half empty at least. */
  #countFree(gate: string): number {
    const { gates, freeSlots, countPlaces } = this.#parts
    const slotsMax = gates.hasLine(gate) ? 0 : Math.min(claimedAtOnceMax, freeSlots())
    let slots = 0
    while (slots < slotsMax && gates.hasRoom(gate, 0, slots)) slots++
    const places = countPlaces(gate) - this.#expectedInLineCount
    return places < claimedAtOnceMax ? slots : claimedAtOnceMax
  }
}
