/** A counting semaphore: so many callers run at once, the others wait in order, up to a number of waiters. */
export class Semaphore {
  readonly #atOnceMax: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #takenCount = 0

  constructor(limits: { atOnceMax: number; waitingMax: number }) {
    this.#atOnceMax = limits.atOnceMax
    this.#waitingMax = limits.waitingMax
  }

  /** Undefined when too many wait already. */
  async run<Result>(act: () => Promise<Result>): Promise<{ result: Result } | undefined> {
    if (this.#takenCount < this.#atOnceMax) this.#takenCount += 1
    else {
      if (this.#waiting.length >= this.#waitingMax) return undefined
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    try {
      return { result: await act() }
    } finally {
      // The permit passes to the next waiter without being released, so that no newcomer overtakes it.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#takenCount -= 1
    }
  }
}
