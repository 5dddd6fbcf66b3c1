import type { Lane } from '../domain/lane.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { type ClaimedEntry, parkEntry, unparkFirst } from '../storage/queue-entries.ts'
import type { Gates } from './gates.ts'

export type GatedEntry = ClaimedEntry & { gate: string }

// More in one statement saves little and delays whoever waits for the same store.
export const claimedAtOnceMax = 32
// A claim without an answer is given back by the keeper of the leases.
export const claimMsMax = 5_000

/** Entries that found neither a slot nor a place in line at their gate, and wait in the store. */
export class Parking {
  readonly #parts: ParkingParts
  readonly #usedGates = new Set<string>()
  readonly #unparking = new Set<string>()

  constructor(parts: ParkingParts) {
    this.#parts = parts
  }

  isUsedAt(gate: string): boolean {
    return this.#usedGates.has(gate)
  }

  /** Others parked something at the gate, so whoever leaves it has to look. */
  expectAt(gate: string): void {
    this.#usedGates.add(gate)
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
      const roomCount = this.#countRoom(gate, parked)
      if (roomCount > 0) void this.#unpark(gate, roomCount)
    }
  }

  /** Brings back as many as there is room for, now that somebody left the gate. */
  refill(gate: string): void {
    // Where others share the store, they may have parked something at the gate as well.
    const mayBeUsed = this.#usedGates.has(gate) || this.#parts.db.kind === 'postgres'
    const freeCount = mayBeUsed ? this.#countFree(gate) : 0
    if (freeCount > 0) void this.#unpark(gate, freeCount)
  }

  #countRoom(gate: string, parked: readonly GatedEntry[]): number {
    const fits = ({ leasedElsewhere }: GatedEntry, index: number) =>
      this.#parts.gates.hasRoom(gate, leasedElsewhere, index)
    const fullAt = parked.findIndex((entry, index) => !fits(entry, index))
    return fullAt === -1 ? parked.length : fullAt
  }

  /** How many could come to the gate: to its slots, and to a line that is half empty at least. */
  #countFree(gate: string): number {
    const { gates, hasLines } = this.#parts
    let slots = 0
    while (slots < claimedAtOnceMax && gates.hasRoom(gate, 0, slots)) slots++
    const places = hasLines ? gates.countPlaces(gate) : 0
    return places < claimedAtOnceMax ? slots : claimedAtOnceMax
  }

  async #unpark(gate: string, countMax: number): Promise<void> {
    const { db, log, lane, onUnparked } = this.#parts
    if (this.#unparking.has(gate)) return
    this.#unparking.add(gate)
    try {
      const unparked = await db.run(unparkFirst(gate, countMax))
      if (unparked.length > 0) onUnparked()
      else this.#usedGates.delete(gate)
    } catch (error) {
      log.warn({ err: error, lane }, 'A gate could not be opened.')
    }
    this.#unparking.delete(gate)
  }
}

interface ParkingParts {
  db: Database
  log: Log
  lane: Lane
  leasedBy: string
  gates: Pick<Gates<unknown>, 'hasRoom' | 'countPlaces'>
  /** Whether whoever comes back may also line up. */
  hasLines: boolean
  onUnparked(): void
}
