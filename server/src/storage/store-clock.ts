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
  readonly #leaps: Leap[] = []

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
    if (storeMs - carriedMs >= leapMsMin) this.#note({ toMs: storeMs, ms: storeMs - carriedMs })
    this.#aheadMs = this.#atMs - storeMs
  }

  /**
   * How much time has passed since then, without what the clock has leapt over: nobody has waited that
   * long when the clock was set forward, or the machine was asleep.
   */
  elapsedMs(sinceMs: number): number {
    const leaptMs = this.#leaps.reduce(
      (sum, { toMs, ms }) => sum + Math.min(ms, Math.max(0, toMs - sinceMs)),
      0,
    )
    return Math.max(0, Math.floor(this.#exactMs() - sinceMs - leaptMs))
  }

  #note(leap: Leap): void {
    this.#leaps.push(leap)
    if (this.#leaps.length > leapsKeptMax) this.#leaps.shift()
  }

  #exactMs(): number {
    const elapsedMs = this.#monotonicMs() - this.#measuredAtMs
    return this.#atMs + Math.max(elapsedMs / 2, elapsedMs - this.#aheadMs)
  }
}

/** A correction that is larger than any drift. */
interface Leap {
  toMs: number
  ms: number
}

const leapMsMin = 1_000
const leapsKeptMax = 100

/** Often enough that the drift of a quartz clock stays far below a millisecond. */
export const clockMeasuredEveryMs = 60_000
