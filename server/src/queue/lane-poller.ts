import type { Lane } from '../domain/task/lane.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { flowsListedMax, listReadyFlows, nextDueAt } from '../storage/queries/queue.ts'
import { readyDueEntries, type SilenceTerms } from '../storage/tables/queue-entries.ts'

// Notifications may be lost, so a lane polls the store too.
const pollIntervalMs = 1_000

/** Makes scheduled entries of a lane ready when they are due, and reports the flows with ready entries. */
export class LanePoller implements Disposable {
  readonly #lane: Lane
  readonly #db: Database
  readonly #log: Log
  readonly #silence: () => SilenceTerms
  readonly #onReady: (flows: readonly string[]) => void
  readonly #pollTimer: NodeJS.Timeout
  #dueTimer: NodeJS.Timeout | undefined
  #dueAtMs = Number.POSITIVE_INFINITY
  #listedUpTo = ''
  #isComplete = false
  #isOver = false

  constructor(
    lane: Lane,
    { db, log, silence }: { db: Database; log: Log; silence(): SilenceTerms },
    onReady: (flows: readonly string[]) => void,
  ) {
    this.#lane = lane
    this.#db = db
    this.#log = log
    this.#silence = silence
    this.#onReady = onReady
    this.#pollTimer = setInterval(() => void this.poll(), pollIntervalMs)
    void this.poll()
  }

  /** Whether the last poll has listed every flow with ready entries. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    clearInterval(this.#pollTimer)
    clearTimeout(this.#dueTimer)
  }

  /** Polls at that time, when an entry is due. */
  expectDue(dueAtMs: number): void {
    if (dueAtMs >= this.#dueAtMs || this.#isOver) return
    this.#dueAtMs = dueAtMs
    clearTimeout(this.#dueTimer)
    const waitMs = Math.min(Math.max(dueAtMs - this.#db.nowMs(), 0), pollIntervalMs)
    this.#dueTimer = setTimeout(() => void this.poll(), waitMs)
  }

  async poll(): Promise<void> {
    // Reset before the query: the response may lack an entry that is postponed meanwhile.
    this.#dueAtMs = Number.POSITIVE_INFINITY
    const after = this.#listedUpTo
    const silence = this.#silence()
    try {
      const [, [dueAtMs], flows] = await this.#db.transaction([
        readyDueEntries(this.#lane, this.#db.nowMs(), silence),
        nextDueAt(this.#lane, silence),
        listReadyFlows(this.#lane, after),
      ] as const)
      const isLastPage = flows.length < flowsListedMax
      this.#listedUpTo = isLastPage ? '' : (flows.at(-1) ?? '')
      this.#isComplete = isLastPage && after === ''
      this.expectDue(dueAtMs ?? Number.POSITIVE_INFINITY)
      if (!this.#isOver) this.#onReady(flows)
    } catch (error) {
      // In an outage nothing is begun at once: its caller would wait for a store that is away.
      this.#isComplete = false
      this.#log.warn(
        { err: error, lane: this.#lane },
        'Failed to poll the queue; polling again in 1 s.',
      )
    }
  }
}
