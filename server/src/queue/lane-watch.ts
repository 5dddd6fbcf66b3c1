import type { Lane } from '../domain/lane.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { readyDueEntries } from '../storage/queue-entries.ts'
import { findReady, nextDueAt } from '../storage/queue-looks.ts'

// A notice may be lost; a lane that hears nothing looks for itself.
const lookEveryMs = 1_000

/** Readies what has come due in a lane, at its time, and tells when something is ready. */
export class LaneWatch implements Disposable {
  readonly #lane: Lane
  readonly #db: Database
  readonly #log: Log
  readonly #onReady: () => void
  readonly #lookTimer: NodeJS.Timeout
  #dueTimer: NodeJS.Timeout | undefined
  #dueAtMs = Number.POSITIVE_INFINITY
  #isOver = false

  constructor(lane: Lane, { db, log }: { db: Database; log: Log }, onReady: () => void) {
    this.#lane = lane
    this.#db = db
    this.#log = log
    this.#onReady = onReady
    this.#lookTimer = setInterval(() => void this.look(), lookEveryMs)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    clearInterval(this.#lookTimer)
    clearTimeout(this.#dueTimer)
  }

  /** Something comes due at that time. */
  expectDue(dueAtMs: number): void {
    if (dueAtMs >= this.#dueAtMs || this.#isOver) return
    this.#dueAtMs = dueAtMs
    clearTimeout(this.#dueTimer)
    const waitMs = Math.min(Math.max(dueAtMs - this.#db.nowMs(), 0), lookEveryMs)
    this.#dueTimer = setTimeout(() => void this.look(), waitMs)
  }

  async look(): Promise<void> {
    // Before the store is asked: what is postponed meanwhile may be missing in the answer.
    this.#dueAtMs = Number.POSITIVE_INFINITY
    try {
      const [, [dueAtMs], [ready]] = await this.#db.transaction([
        readyDueEntries(this.#lane, this.#db.nowMs()),
        nextDueAt(this.#lane),
        findReady(this.#lane),
      ] as const)
      this.expectDue(dueAtMs ?? Number.POSITIVE_INFINITY)
      if (ready && !this.#isOver) this.#onReady()
    } catch (error) {
      this.#log.warn({ err: error, lane: this.#lane }, 'The queue cannot be looked at.')
    }
  }
}
