import { Failure } from '../domain/failure.ts'
import { TtlCache } from '../runtime/sharing/ttl-cache.ts'

const guessesMax = 1000
const windowMs = 60_000
const addressesMax = 100_000

/** Rate limit against brute force: counts only wrong credentials, per address, and refuses only them. */
export class GuessCounter {
  readonly #windows = new TtlCache<{ count: number }>({
    ttlMs: windowMs,
    entriesMax: addressesMax,
  })

  /** Counts one wrong guess. Beyond the limit it throws `RATE_LIMITED`, so the caller gets 429, not 401. */
  count(address: string): void {
    const window = this.#windows.get(address)
    if (!window) {
      this.#windows.set(address, { count: 1 })
      return
    }
    window.count++
    if (window.count > guessesMax) {
      throw new Failure('RATE_LIMITED', 'Too many wrong credentials from this address. Wait.', {
        retryAfterSeconds: windowMs / 1000,
      })
    }
  }
}
