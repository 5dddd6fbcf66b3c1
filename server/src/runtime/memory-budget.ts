/** A limit on what many callers hold together, such as memory: a weighted semaphore that serves in order. */
export class MemoryBudget {
  readonly #total: number
  #free: number
  readonly #line: { amount: number; grant: () => void }[] = []

  constructor(total: number) {
    this.#total = total
    this.#free = total
  }

  /** A share, empty at first. Its holder disposes of it, whatever has become of the asking. */
  open(): BudgetShare {
    let held = 0
    let waiting: { amount: number; grant: () => void } | undefined
    const giveBack = () => {
      if (waiting) this.#line.splice(this.#line.indexOf(waiting), 1)
      waiting = undefined
      this.#free += held
      held = 0
      this.#serve()
    }
    return {
      take: (wanted) => {
        // Whoever waits holds nothing: two who wait for each other's share would wait for ever.
        giveBack()
        const amount = Math.min(wanted, this.#total)
        const { promise, resolve } = Promise.withResolvers<void>()
        const entry = {
          amount,
          grant: () => {
            waiting = undefined
            held = amount
            resolve()
          },
        }
        waiting = entry
        this.#line.push(entry)
        this.#serve()
        return promise
      },
      [Symbol.dispose]: giveBack,
    }
  }

  #serve(): void {
    for (let next = this.#line[0]; next && next.amount <= this.#free; next = this.#line[0]) {
      this.#line.shift()
      this.#free -= next.amount
      next.grant()
    }
  }
}

export interface BudgetShare extends Disposable {
  /** Resolves when there is so much, instead of what was taken before. */
  take(amount: number): Promise<void>
}
