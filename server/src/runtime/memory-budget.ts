/** A limit on the memory that many callers use together: a weighted semaphore, first in, first out. */
export class MemoryBudget {
  readonly #total: number
  #free: number
  readonly #queue: { amount: number; grant: () => void }[] = []

  constructor(total: number) {
    this.#total = total
    this.#free = total
  }

  /** Opens an empty share. Its owner disposes of it, even if a reservation was never granted. */
  open(): BudgetShare {
    let held = 0
    let waiting: { amount: number; grant: () => void } | undefined
    const release = () => {
      if (waiting) this.#queue.splice(this.#queue.indexOf(waiting), 1)
      waiting = undefined
      this.#free += held
      held = 0
      this.#grantNext()
    }
    return {
      reserve: (wanted) => {
        // A waiter holds nothing: two that wait for each other's memory would deadlock.
        release()
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
        this.#queue.push(entry)
        this.#grantNext()
        return promise
      },
      [Symbol.dispose]: release,
    }
  }

  #grantNext(): void {
    for (let next = this.#queue[0]; next && next.amount <= this.#free; next = this.#queue[0]) {
      this.#queue.shift()
      this.#free -= next.amount
      next.grant()
    }
  }
}

export interface BudgetShare extends Disposable {
  /** Resolves when so much is granted; it replaces the share's previous reservation. */
  reserve(amount: number): Promise<void>
}
