import assert from 'node:assert/strict'
import { Semaphore } from './semaphore.ts'

/**
 * Writes of many rows, which keep the event loop and the store for longer than anything else that callers
 * ask for. So one at a time does, and one more for another account (tenant); accounts take turns.
 */
export class WritingTurns {
  readonly #semaphore = new Semaphore({ atOnceMax: 1, waitingMax: 0, spareMax: 1 })

  async take<Result>(accountId: string, write: () => Promise<Result>): Promise<Result> {
    const done = await this.#semaphore.run(write, { accountId, isPatient: true })
    assert(done, 'Who is patient is not refused.')
    return done.result
  }
}
