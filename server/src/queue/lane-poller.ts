import type { Lane } from '../domain/task/lane.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { readyDueEntries } from '../storage/queue-entries-table.ts'
import { flowsListedMax, listReadyFlows, nextDueAt } from '../storage/queue-queries.ts'

// A notification may be lost, so a lane that hears nothing polls the store.
const pollIntervalMs = 1_000

/** Makes scheduled entries of a lane ready at their time, and reports which flows have something ready. */
export class LanePoller implements Disposable {
  readonly #lane: Lane
  readonly #db: Database
  readonly #log: Log
  readonly #onReady: (flows: readonly string[]) => void
  readonly #pollTimer: NodeJS.Timeout
  #dueTimer: NodeJS.Timeout | undefined
  #dueAtMs = Number.POSITIVE_INFINITY
  #listedUpTo = ''
  #isComplete = false
  #isOver = false

  constructor(
    lane: Lane,
    { db, log }: { db: Database; log: Log },
    onReady: (flows: readonly string[]) => void,
  ) {
    this.#lane = lane
    this.#db = db
    this.#log = log
    this.#onReady = onReady
    this.#pollTimer = setInterval(() => void this.poll(), pollIntervalMs)
    void this.poll()
  }

  /** Whether the last poll has seen every flow that was ready then. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    clearInterval(this.#pollTimer)
    clearTimeout(this.#dueTimer)
  }

  /** Something comes due at that time. */
  expectDue(dueAtMs: number): void {
    if (dueAtMs >= this.#dueAtMs || this.#isOver) return
    this.#dueAtMs = dueAtMs
    clearTimeout(this.#dueTimer)
    const waitMs = Math.min(Math.max(dueAtMs - this.#db.nowMs(), 0), pollIntervalMs)
    this.#dueTimer = setTimeout(() => void this.poll(), waitMs)
  }

  async poll(): Promise<void> {
    // Before the store is asked: what is postponed meanwhile may be missing in the response.
    this.#dueAtMs = Number.POSITIVE_INFINITY
    const after = this.#listedUpTo
    try {
      const [, [dueAtMs], flows] = await this.#db.transaction([
        readyDueEntries(this.#lane, this.#db.nowMs()),
        nextDueAt(this.#lane),
        listReadyFlows(this.#lane, after),
      ] as const)
      const isLastPage = flows.length < flowsListedMax
      this.#listedUpTo = isLastPage ? '' : (flows.at(-1) ?? '')
      this.#isComplete = isLastPage && after === ''
      this.expectDue(dueAtMs ?? Number.POSITIVE_INFINITY)
      if (!this.#isOver) this.#onReady(flows)
    } catch (error) {
      this.#log.warn(
        { err: error, lane: this.#lane },
        'Failed to poll the queue; polling again in 1 s.',
      )
    }
  }
}
