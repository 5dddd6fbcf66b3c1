/**
 * The store's time between two measurements, advanced by the monotonic clock, so that every process on
 * one store agrees and a jump of the machine's wall clock has no effect. It never goes back: if it is
 * ahead of the store, it runs at half speed until the store has caught up.
 */
export class StoreClock {
  readonly #monotonicMs: () => number
  #measuredAtMs: number
  #atMs: number
  #aheadMs = 0

  constructor(storeMs: number, monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs
    this.#measuredAtMs = monotonicMs()
    this.#atMs = storeMs
  }

  nowMs(): number {
    return Math.floor(this.#exactMs())
  }

  /** `storeMs` is the store's time at this moment. */
  correct(storeMs: number): void {
    const carriedMs = this.#exactMs()
    this.#measuredAtMs = this.#monotonicMs()
    this.#atMs = Math.max(carriedMs, storeMs)
    this.#aheadMs = this.#atMs - storeMs
  }

  #exactMs(): number {
    const elapsedMs = this.#monotonicMs() - this.#measuredAtMs
    return this.#atMs + Math.max(elapsedMs / 2, elapsedMs - this.#aheadMs)
  }
}

/** Often enough that the drift of a quartz clock stays far below a millisecond. */
export const clockMeasuredEveryMs = 60_000
