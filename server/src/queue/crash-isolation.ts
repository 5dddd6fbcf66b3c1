import type { HeldEntry } from './held-entry.ts'

/** A lane whose work counts when a poison task is to run with nothing beside it. */
interface IsolatedLane {
  /** What is held here or may be any moment. */
  readonly busyCount: number
  /** Nothing is isolated any more. */
  resume(): void
}

/**
 * Runs a suspected poison task with nothing beside it in the task lanes of this process: if the process
 * crashes then, nothing else can be to blame, so no innocent task is ever failed for it.
 */
export class CrashIsolation {
  readonly #lanes = new Set<IsolatedLane>()
  #isolated: { held: HeldEntry; run: () => void; isRunning: boolean } | undefined

  join(lane: IsolatedLane): this {
    this.#lanes.add(lane)
    return this
  }

  /** While it is, nothing more is started in any of the lanes. */
  get isActive(): boolean {
    return this.#isolated !== undefined
  }

  /** Calls `run` once everything else has ended; false while another is isolated. */
  isolate(held: HeldEntry, run: () => void): boolean {
    if (this.#isolated) return false
    this.#isolated = { held, run, isRunning: false }
    this.startIfAlone()
    return true
  }

  /** Something has ended, so that it may be alone now. */
  startIfAlone(): void {
    if (!this.#isolated || this.#isolated.isRunning || this.#busyCount > 1) return
    this.#isolated.isRunning = true
    this.#isolated.run()
  }

  leave(held: HeldEntry, ownLane: IsolatedLane): void {
    if (this.#isolated?.held !== held) return
    this.#isolated = undefined
    for (const lane of this.#lanes) if (lane !== ownLane) lane.resume()
  }

  get #busyCount(): number {
    return [...this.#lanes].reduce((sum, { busyCount }) => sum + busyCount, 0)
  }
}
