import { Failure } from '../domain/failure.ts'
import { Semaphore } from '../runtime/sharing/semaphore.ts'

const limits = { atOnceMax: 1, waitingMax: 1_000, spareMax: 1 }

/**
 * Writes that keep the store from others: of many rows, or those of one account (tenant) that wait for each
 * other's locks. So one at a time does, and one more for another account; accounts take turns.
 */
export class WritingTurns {
  readonly #semaphore = new Semaphore(limits)

  async take<Result>(accountId: string, write: () => Promise<Result>): Promise<Result> {
    const done = await this.#semaphore.run(write, { accountId })
    if (!done) throw tooManyWrites()
    return done.result
  }
}

const tooManyWrites = () =>
  new Failure(
    'RATE_LIMITED',
    'Too many changes of this account wait for each other. Wait for some to end.',
    { retryAfterSeconds: 1 },
  )
