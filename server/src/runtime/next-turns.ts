type Resume = () => void

/** Lets one of those who wait go on in each round of the event loop; accounts (tenants) take turns. */
export class NextTurns {
  // A map keeps the order of insertion: an account that has had its turn is put last.
  readonly #waiting = new Map<unknown, Resume[]>()

  wait(account: unknown): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#waiting.size === 0) setImmediate(() => this.#resumeOne())
    const ofAccount = this.#waiting.get(account)
    if (ofAccount) ofAccount.push(resolve)
    else this.#waiting.set(account, [resolve])
    return promise
  }

  #resumeOne(): void {
    const [next] = this.#waiting
    if (!next) return
    const [account, [resume, ...later]] = next
    this.#waiting.delete(account)
    if (later.length > 0) this.#waiting.set(account, later)
    // An immediate that is set in a round comes in the next one.
    if (this.#waiting.size > 0) setImmediate(() => this.#resumeOne())
    resume?.()
  }
}
