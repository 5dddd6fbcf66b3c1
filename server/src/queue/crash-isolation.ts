import type { HeldEntry } from './held-entry.ts'

/** A lane that must be idle while a suspected poison task of any joined lane runs. */
interface IsolatedLane {
  /** Entries that are held or being claimed. */
  readonly busyCount: number
  /** Called when the isolation has ended. */
  resume(): void
}

/**
 * Runs a suspected poison task alone in the task lanes of this process. If the process crashes then, no
 * other task can be the cause, so no innocent task is ever failed for it.
 */
export class CrashIsolation {
  readonly #lanes = new Set<IsolatedLane>()
  #isolated: { held: HeldEntry; run: () => void; isRunning: boolean } | undefined

  join(lane: IsolatedLane): this {
    this.#lanes.add(lane)
    return this
  }

  /** While true, no lane starts anything. */
  get isActive(): boolean {
    return this.#isolated !== undefined
  }

  /** Calls `run` once everything else has ended; returns false while another task is isolated. */
  isolate(held: HeldEntry, run: () => void): boolean {
    if (this.#isolated) return false
    this.#isolated = { held, run, isRunning: false }
    this.startIfAlone()
    return true
  }

  /** To be called when an entry or a claim has ended. */
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
