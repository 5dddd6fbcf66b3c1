import { Failure } from '../domain/failure.ts'

// A password takes 40 ms of a core to check. One at a time leaves the machine to its callers.
const atOnceMax = 1
// After a wrong password the turn rests: a flood of guesses gets a quarter of one core, no more.
const restShare = 3
// A flood from one address must not keep others waiting for long, or out.
const waitingPerAddressMax = 8
const waitingMax = 100

/** Who may check a password next. Whoever would wait too long is told to ask again. */
export class HashingTurns {
  readonly #waiting: { address: string; begin: () => void }[] = []
  #runningCount = 0

  /** Checks when it is this address's turn; the answer does not wait for the rest. */
  async check(address: string, isRight: () => Promise<boolean>): Promise<boolean> {
    await this.#takeTurn(address)
    const startedMs = performance.now()
    let restMs = 0
    try {
      const verdict = await isRight()
      if (!verdict) restMs = restShare * (performance.now() - startedMs)
      return verdict
    } finally {
      setTimeout(() => this.#passTurn(), restMs).unref()
    }
  }

  async #takeTurn(address: string): Promise<void> {
    if (this.#runningCount < atOnceMax) {
      this.#runningCount++
      return
    }
    const ownCount = this.#waiting.filter((one) => one.address === address).length
    if (ownCount >= waitingPerAddressMax || this.#waiting.length >= waitingMax) {
      throw new Failure('RATE_LIMITED', 'Too many passwords are being checked.', {
        retryAfterSeconds: 1,
      })
    }
    await new Promise<void>((begin) => this.#waiting.push({ address, begin }))
  }

  #passTurn(): void {
    const next = this.#waiting.shift()
    if (next) next.begin()
    else this.#runningCount--
  }
}
