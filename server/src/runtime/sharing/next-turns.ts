interface Waiter {
  readonly work: LongWork
  resume(): void
}

/** What waits for its turns; of the works of an account, the one with the lowest number comes first. */
export interface LongWork {
  readonly account: unknown
  readonly number: number
}

/**
 * Lets one of those who wait go on in each round of the event loop. Accounts (tenants) take turns. The works
 * of one account are done one after the other: together they would all end late, and at the same time.
 */
export class NextTurns {
  // A map keeps the order of insertion: an account that has had its turn is put last.
  readonly #waiting = new Map<unknown, Waiter[]>()

  wait(work: LongWork): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#waiting.size === 0) setImmediate(() => this.#resumeOne())
    const ofAccount = this.#waiting.get(work.account) ?? []
    const at = ofAccount.findIndex((other) => other.work.number > work.number)
    ofAccount.splice(at === -1 ? ofAccount.length : at, 0, { work, resume: resolve })
    this.#waiting.set(work.account, ofAccount)
    return promise
  }

  #resumeOne(): void {
    const [next] = this.#waiting
    if (!next) return
    const [account, [first, ...later]] = next
    this.#waiting.delete(account)
    if (later.length > 0) this.#waiting.set(account, later)
    // An immediate that is set in a round comes in the next one.
    if (this.#waiting.size > 0) setImmediate(() => this.#resumeOne())
    first?.resume()
  }
}
