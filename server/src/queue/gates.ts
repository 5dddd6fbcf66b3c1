import type { HeldEntry } from './held-entry.ts'

/** An entry that this process holds until there is a slot for it, with what was handed over. */
export interface InLine<Handed> {
  held: HeldEntry
  handed: Handed | undefined
}

// Enough to keep a gate busy without asking the store; what is in line is held, and held in memory.
const lineLengthMax = 64
const inLineMax = 256

/** Who is at each gate of a lane: those being worked on, and those in line for a slot. */
export class Gates<Handed> {
  readonly #hasRoom: (gate: string, taken: { here: number; elsewhere: number }) => boolean
  readonly #takenByGate = new Map<string, number>()
  readonly #lines = new Map<string, InLine<Handed>[]>()
  #inLineCount = 0

  constructor(hasRoom: (gate: string, taken: { here: number; elsewhere: number }) => boolean) {
    this.#hasRoom = hasRoom
  }

  get inLineCount(): number {
    return this.#inLineCount
  }

  /** Whether one more could be worked on, or as many more as said. */
  hasRoom(gate: string, elsewhere: number, beside = 0): boolean {
    return this.#hasRoom(gate, { here: (this.#takenByGate.get(gate) ?? 0) + beside, elsewhere })
  }

  canLineUp(gate: string): boolean {
    return this.countPlaces(gate) > 0
  }

  /** How many more may line up at the gate. */
  countPlaces(gate: string): number {
    const length = this.#lines.get(gate)?.length ?? 0
    return Math.min(lineLengthMax - length, inLineMax - this.#inLineCount)
  }

  enter(gate: string): void {
    this.#takenByGate.set(gate, (this.#takenByGate.get(gate) ?? 0) + 1)
  }

  leave(gate: string): void {
    const taken = (this.#takenByGate.get(gate) ?? 1) - 1
    if (taken === 0) this.#takenByGate.delete(gate)
    else this.#takenByGate.set(gate, taken)
  }

  lineUp(gate: string, held: HeldEntry): InLine<Handed> {
    const place: InLine<Handed> = { held, handed: undefined }
    const line = this.#lines.get(gate)
    if (line) line.push(place)
    else this.#lines.set(gate, [place])
    this.#inLineCount += 1
    return place
  }

  /** The first in a line that is safely written and has room at its gate; the lines take turns. */
  callNext(): InLine<Handed> | undefined {
    for (const [gate, line] of this.#lines) {
      const index = this.hasRoom(gate, 0) ? line.findIndex(({ held }) => held.isCommitted) : -1
      const place = line[index]
      if (!place) continue
      this.#remove(gate, line, index)
      // What was set last comes last.
      if (this.#lines.delete(gate)) this.#lines.set(gate, line)
      return place
    }
    return undefined
  }

  /** Whoever is in line and safely written, in line no more. */
  takeLine(gate: string): HeldEntry[] {
    const line = this.#lines.get(gate) ?? []
    const taken = line.filter(({ held }) => held.isCommitted).map(({ held }) => held)
    for (const held of taken) this.giveUpPlace(gate, held)
    return taken
  }

  giveUpPlace(gate: string, held: HeldEntry): void {
    const line = this.#lines.get(gate)
    const index = line?.findIndex((place) => place.held === held) ?? -1
    if (line && index !== -1) this.#remove(gate, line, index)
  }

  #remove(gate: string, line: InLine<Handed>[], index: number): void {
    line.splice(index, 1)
    if (line.length === 0) this.#lines.delete(gate)
    this.#inLineCount -= 1
  }
}
