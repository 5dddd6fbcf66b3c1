import { Failure } from '../../domain/failure.ts'
import { Semaphore, type SemaphoreCaller } from '../../runtime/sharing/semaphore.ts'

/**
 * Few enough that the thread of SQLite, ten connections to PostgreSQL and the event loop stay free for others:
 * one at once, and three more for accounts that read none.
 */
const limits = { atOnceMax: 1, waitingMax: 50, spareMax: 3 }

/**
 * Lists and other reads that may take the store long. Accounts (tenants) take turns, so that one that asks
 * for many lists waits for its own and nobody else does. A read that waits ends with its caller.
 */
export class ReadingTurns {
  readonly #semaphore = new Semaphore(limits)

  async take<Result>(
    read: () => Promise<Result>,
    reader: SemaphoreCaller & { accountId: string },
  ): Promise<Result> {
    const done = await this.#semaphore.run(read, reader)
    if (!done) throw tooManyReads()
    return done.result
  }
}

const tooManyReads = () =>
  new Failure(
    'RATE_LIMITED',
    'Too many lists of this account are being read at once. Wait for some to end.',
    { retryAfterSeconds: 1 },
  )
