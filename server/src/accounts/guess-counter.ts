import { Failure } from '../domain/failure.ts'
import { TtlCache } from '../runtime/ttl-cache.ts'

const guessesMax = 1000
const windowMs = 60_000
const addressesMax = 100_000

/** Slows down guessing from one address. Only wrong credentials are counted, only they are refused. */
export class GuessCounter {
  readonly #windows = new TtlCache<{ count: number }>({
    keptMs: windowMs,
    entriesMax: addressesMax,
  })

  /** Notes one wrong guess; beyond the limit it says so instead of letting the caller hear 401. */
  count(address: string): void {
    const window = this.#windows.get(address)
    if (!window) {
      this.#windows.set(address, { count: 1 })
      return
    }
    window.count++
    if (window.count > guessesMax) {
      throw new Failure('RATE_LIMITED', 'Too many wrong credentials from this address.', {
        retryAfterSeconds: windowMs / 1000,
      })
    }
  }
}
