/** Adds up the time between its starts and stops. */
export class Stopwatch {
  #totalMs = 0
  #startedAtMs: number | undefined

  start(): void {
    this.#startedAtMs ??= performance.now()
  }

  stop(): void {
    this.#totalMs = this.ms
    this.#startedAtMs = undefined
  }

  /** Until now, if it runs. */
  get ms(): number {
    const runningMs = this.#startedAtMs === undefined ? 0 : performance.now() - this.#startedAtMs
    return this.#totalMs + runningMs
  }
}
