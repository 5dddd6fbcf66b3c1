/** A lane that must be idle while a suspected poison task of any joined lane runs. */
interface IsolatedLane {
  /** Entries that are held or being claimed. */
  readonly busyCount: number
  /** Claims one suspect and runs it; resolves when it has ended: whether another one waits. */
  runIsolated(): Promise<boolean>
  /** Called when the isolation has ended. */
  resume(): void
}

/**
 * Runs suspected poison tasks alone in the task lanes of this process, one at a time. A suspect is not
 * claimed before all lanes are idle: if the process dies while another task comes to its end, the suspect
 * is not held. So if it is held at a crash, no other task can be the cause.
 */
export class CrashIsolation {
  readonly #turnMs: number
  readonly #lanes = new Set<IsolatedLane>()
  #asking: IsolatedLane | undefined
  #isRunning = false

  /** For so long one suspect follows the other, as emptying the lanes takes longer than most of them. */
  constructor({ turnMs = 1_000 } = {}) {
    this.#turnMs = turnMs
  }

  join(lane: IsolatedLane): this {
    this.#lanes.add(lane)
    return this
  }

  /** While true, no lane starts anything else. */
  get isActive(): boolean {
    return this.#asking !== undefined
  }

  /** The lane runs its suspects once everything else has ended; it asks again after others had a turn. */
  isolate(lane: IsolatedLane): void {
    this.#asking ??= lane
    this.startIfIdle()
  }

  /** To be called when an entry or a claim has ended. */
  startIfIdle(): void {
    if (!this.#asking || this.#isRunning || this.#isBusy) return
    this.#isRunning = true
    void this.#runInTurn(this.#asking).finally(() => {
      this.#asking = undefined
      this.#isRunning = false
      for (const lane of this.#lanes) lane.resume()
    })
  }

  async #runInTurn(lane: IsolatedLane): Promise<void> {
    const endsAtMs = performance.now() + this.#turnMs
    while ((await lane.runIsolated()) && performance.now() < endsAtMs);
  }

  get #isBusy(): boolean {
    return [...this.#lanes].some(({ busyCount }) => busyCount > 0)
  }
}
