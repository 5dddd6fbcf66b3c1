import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../domain/failure.ts'
import { Semaphore } from '../runtime/sharing/semaphore.ts'
import { isStoreUnavailable } from './outages/store-unavailable.ts'

const limits = { atOnceMax: 1, waitingMax: 1_000, spareMax: 1 }
const restMsMax = 1_000
/** After a shorter write nobody has waited long. */
const shortMsMax = 5

/**
 * Writes that keep the store from others: of many rows, or those of one account (tenant) that wait for each
 * other's locks. So one at a time does, and one more for another account; accounts take turns. After each, as
 * much time is left to others as it took.
 */
export class WritingTurns {
  readonly #semaphore = new Semaphore(limits)
  #waiting = new AbortController()

  /** Resolves when the write has ended; only the next one waits for the rest. */
  take<Result>(accountId: string, write: () => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const writeAndRest = async () => {
      const startedMs = performance.now()
      try {
        resolve(await write())
      } catch (error) {
        reject(error)
        // One after the other, those that wait would find out long after the others.
        if (isStoreUnavailable(error)) this.refuseWaiting(error)
        return
      }
      await this.#rest(performance.now() - startedMs)
    }
    const { signal } = this.#waiting
    const run = this.#semaphore.run(writeAndRest, { accountId, signal })
    void run.then((done) => done ?? reject(tooManyWrites()), reject)
    return promise
  }

  /** Those that have not begun are rejected. */
  refuseWaiting(reason: Failure): void {
    this.#waiting.abort(reason)
    this.#waiting = new AbortController()
  }

  async #rest(tookMs: number): Promise<void> {
    if (tookMs <= shortMsMax) return
    const { signal } = this.#waiting
    const rest = pause(Math.min(tookMs, restMsMax), undefined, { ref: false, signal })
    await rest.catch(() => undefined)
  }
}

const tooManyWrites = () =>
  new Failure(
    'RATE_LIMITED',
    'Too many changes of this account wait for each other. Wait for some to end.',
    { retryAfterSeconds: 1 },
  )
