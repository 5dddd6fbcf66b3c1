import type { HeldEntry } from './held-entry.ts'

/** A lane whose work counts when somebody is to be alone. */
interface SharedLane {
  /** What is held here or may come to be any moment. */
  readonly busyCount: number
  /** Nobody is to be alone any more. */
  resume(): void
}

/**
 * The lanes of one process in which a thing can be worked on with nothing beside it: if the process
 * dies then, nothing else in these lanes can have done it.
 */
export class Solitude {
  readonly #lanes = new Set<SharedLane>()
  #loner: { held: HeldEntry; run: () => void; isRunning: boolean } | undefined

  join(lane: SharedLane): this {
    this.#lanes.add(lane)
    return this
  }

  /** While it is, nothing more is begun in any of the lanes. */
  get isSought(): boolean {
    return this.#loner !== undefined
  }

  /** Calls `run` once it is alone; false when another is or waits to be. */
  seek(held: HeldEntry, run: () => void): boolean {
    if (this.#loner) return false
    this.#loner = { held, run, isRunning: false }
    this.look()
    return true
  }

  /** Something has ended: whoever waits may be alone now. */
  look(): void {
    if (!this.#loner || this.#loner.isRunning || this.#busyCount > 1) return
    this.#loner.isRunning = true
    this.#loner.run()
  }

  leave(held: HeldEntry, ownLane: SharedLane): void {
    if (this.#loner?.held !== held) return
    this.#loner = undefined
    for (const lane of this.#lanes) if (lane !== ownLane) lane.resume()
  }

  get #busyCount(): number {
    return [...this.#lanes].reduce((sum, { busyCount }) => sum + busyCount, 0)
  }
}
