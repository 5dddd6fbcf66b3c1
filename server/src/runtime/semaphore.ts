/** A counting semaphore: `atOnceMax` callers run, up to `waitingMax` wait in order. */
export class Semaphore {
  readonly #atOnceMax: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #takenCount = 0

  constructor(limits: { atOnceMax: number; waitingMax: number }) {
    this.#atOnceMax = limits.atOnceMax
    this.#waitingMax = limits.waitingMax
  }

  /** Undefined if too many callers are waiting already; a patient one waits nevertheless. */
  async run<Result>(
    act: () => Promise<Result>,
    { isPatient = false } = {},
  ): Promise<{ result: Result } | undefined> {
    if (this.#takenCount < this.#atOnceMax) this.#takenCount += 1
    else {
      if (!isPatient && this.#waiting.length >= this.#waitingMax) return undefined
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
