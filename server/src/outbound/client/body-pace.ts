const checkMs = 1_000
const windowChecks = 15
const bytesPerCheckMin = 1_024

/**
 * Finds a body that dribbles: less than 1 KiB/s over 15 s. While others wait for the memory that it holds,
 * it is not worth waiting for.
 */
export class BodyPace implements Disposable {
  readonly #length: () => number
  readonly #onDribble: () => void
  #timer: NodeJS.Timeout | undefined
  /** The lengths at the last checks, the oldest first. */
  #lengths: number[] = []

  constructor(length: () => number, onDribble: () => void) {
    this.#length = length
    this.#onDribble = onDribble
  }

  /** Begins a new window: whatever came before, or was not read meanwhile, does not count. */
  start(): void {
    clearInterval(this.#timer)
    this.#lengths = [this.#length()]
    this.#timer = setInterval(() => this.#check(), checkMs).unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    const length = this.#length()
    this.#lengths.push(length)
    if (this.#lengths.length <= windowChecks) return
    const before = this.#lengths.shift() ?? 0
    if (length - before < windowChecks * bytesPerCheckMin) this.#onDribble()
  }
}
