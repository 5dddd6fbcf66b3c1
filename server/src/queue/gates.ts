import type { HeldEntry } from './held-entry.ts'

/** An entry that this process holds until there is a slot for it, with what was handed over. */
export interface InLine<Handed> {
  held: HeldEntry
  gate: string
  handed: Handed | undefined
}

// Enough to keep a gate busy without asking the store; what is in line is held, and held in memory.
const lineLengthMax = 64

type HasRoom = (gate: string, taken: { here: number; elsewhere: number }) => boolean

/** Who is at each gate of a lane: those being worked on, and those in line for a slot. */
export class Gates<Handed> {
  readonly #hasRoom: HasRoom
  readonly #inLineMax: () => number
  readonly #takenByGate = new Map<string, number>()
  // The accounts take turns, and among the lines of an account its gates: what was set last comes last.
  readonly #linesByAccount = new Map<string, Map<string, InLine<Handed>[]>>()
  readonly #lengthByGate = new Map<string, number>()
  #inLineCount = 0

  constructor(hasRoom: HasRoom, inLineMax: () => number) {
    this.#hasRoom = hasRoom
    this.#inLineMax = inLineMax
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
    const length = this.#lengthByGate.get(gate) ?? 0
    return Math.min(lineLengthMax - length, this.#inLineMax() - this.#inLineCount)
  }

  hasLine(gate: string): boolean {
    return this.#lengthByGate.has(gate)
  }

  enter(gate: string): void {
    add(this.#takenByGate, gate, 1)
  }

  leave(gate: string): void {
    add(this.#takenByGate, gate, -1)
  }

  lineUp(gate: string, held: HeldEntry): InLine<Handed> {
    const place: InLine<Handed> = { held, gate, handed: undefined }
    const lines = this.#linesByAccount.get(held.accountId) ?? new Map<string, InLine<Handed>[]>()
    this.#linesByAccount.set(held.accountId, lines)
    const line = lines.get(gate)
    if (line) line.push(place)
    else lines.set(gate, [place])
    add(this.#lengthByGate, gate, 1)
    this.#inLineCount += 1
    return place
  }

  /** The next in line that is safely written and has room at its gate. */
  callNext(): InLine<Handed> | undefined {
    for (const [accountId, lines] of this.#linesByAccount) {
      for (const [gate, line] of lines) {
        const place = this.hasRoom(gate, 0) && line.find(({ held }) => held.isCommitted)
        if (!place) continue
        this.giveUpPlace(place)
        if (lines.delete(gate)) lines.set(gate, line)
        if (this.#linesByAccount.delete(accountId)) this.#linesByAccount.set(accountId, lines)
        return place
      }
    }
    return undefined
  }

  /** Whoever is in line at the gate and safely written, in line no more. */
  takeLine(gate: string): HeldEntry[] {
    const places = [...this.#linesByAccount.values()].flatMap((lines) => lines.get(gate) ?? [])
    const taken = places.filter(({ held }) => held.isCommitted)
    for (const place of taken) this.giveUpPlace(place)
    return taken.map(({ held }) => held)
  }

  giveUpPlace(place: InLine<Handed>): void {
    const { held, gate } = place
    const lines = this.#linesByAccount.get(held.accountId)
    const line = lines?.get(gate)
    const index = line?.indexOf(place) ?? -1
    if (!lines || !line || index === -1) return
    line.splice(index, 1)
    if (line.length === 0) lines.delete(gate)
    if (lines.size === 0) this.#linesByAccount.delete(held.accountId)
    add(this.#lengthByGate, gate, -1)
    this.#inLineCount -= 1
  }
}

function add(counts: Map<string, number>, key: string, count: number): void {
  const sum = (counts.get(key) ?? 0) + count
  if (sum === 0) counts.delete(key)
  else counts.set(key, sum)
}
