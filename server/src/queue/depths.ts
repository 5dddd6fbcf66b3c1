import { type Lane, lanes } from '../domain/task/lane.ts'
import type { Log } from '../runtime/log.ts'
import { timeOfSortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import { countEntries, type EntryCount, oldestUnstarted } from '../storage/queue-queries.ts'

export interface LaneDepth {
  waiting: number
  running: number
  /** How long the next in line that nobody has begun has been waiting. */
  oldestAgeMs: number
}

/** Someone on the way into a lane, counted from the moment it is let in. */
interface Entering {
  committed(): void
  withdrawn(): void
}

const lookedAtEveryMs = 1_000
// Counting 200,000 entries takes SQLite 25 ms and PostgreSQL 130; it shall not have more than a tenth
// of the time, but a call that was merely late must not leave us without a count for long.
const pausePerTookMs = 10
const lookedAtLeastEveryMs = 5_000
const lookDeadlineMs = 5_000

/**
 * How much there is to be done, for every process on the store: counted about once a second, and in
 * between carried on by what this process has seen come and go. Asking costs a look at two numbers.
 */
export class Depths implements Disposable {
  readonly #db: Database
  readonly #log: Log
  readonly #entering = new Tally()
  #counted = new Tally()
  #since = new Tally()
  #lanes: Record<Lane, LaneDepth> = { http: none, browser: none, delivery: none }
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ db, log }: { db: Database; log: Log }) {
    this.#db = db
    this.#log = log
    void this.#look()
  }

  /** What waits or is being done, in all and of one account. */
  of(lane: Lane, accountId: string): { inAll: number; ofAccount: number } {
    const sum = (key: string) =>
      this.#counted.get(key) + this.#since.get(key) + this.#entering.get(key)
    return { inAll: sum(lane), ofAccount: sum(keyOf(lane, accountId)) }
  }

  enter(lane: Lane, accountId: string): Entering {
    this.#entering.add(lane, accountId, 1)
    return {
      committed: () => {
        this.#entering.add(lane, accountId, -1)
        this.#since.add(lane, accountId, 1)
      },
      withdrawn: () => this.#entering.add(lane, accountId, -1),
    }
  }

  left(lane: Lane, accountId: string): void {
    this.#since.add(lane, accountId, -1)
  }

  byLane(): Record<Lane, LaneDepth> {
    return this.#lanes
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #look(): Promise<void> {
    const startedAtMs = performance.now()
    const before = this.#since
    this.#since = new Tally()
    try {
      const [counts, ...firsts] = await this.#db.transaction(
        [countEntries(), ...lanes.map(oldestUnstarted)] as const,
        { deadlineMs: lookDeadlineMs },
      )
      this.#take(counts, firsts)
    } catch (error) {
      this.#since = before.plus(this.#since)
      this.#log.debug({ err: error }, 'The queue was not counted; the last count is carried on.')
    }
    if (this.#isClosed) return
    const pauseMs = pausePerTookMs * (performance.now() - startedAtMs)
    const boundedMs = Math.min(Math.max(pauseMs, lookedAtEveryMs), lookedAtLeastEveryMs)
    this.#timer = setTimeout(() => void this.#look(), boundedMs).unref()
  }

  #take(counts: readonly EntryCount[], firsts: readonly { id: string }[][]): void {
    const counted = new Tally()
    for (const { lane, accountId, count } of counts) counted.add(lane, accountId, count)
    this.#counted = counted
    const nowMs = this.#db.nowMs()
    const depthOf = (lane: Lane, index: number): LaneDepth => ({
      waiting: totalOf(counts, lane, false),
      running: totalOf(counts, lane, true),
      oldestAgeMs: ageOf(firsts[index]?.[0]?.id, nowMs),
    })
    this.#lanes = {
      http: depthOf('http', 0),
      browser: depthOf('browser', 1),
      delivery: depthOf('delivery', 2),
    }
  }
}

/** Numbers by lane, and by account within it. */
class Tally {
  readonly #counts = new Map<string, number>()

  get(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  add(lane: Lane, accountId: string, count: number): void {
    this.#addTo(lane, count)
    this.#addTo(keyOf(lane, accountId), count)
  }

  plus(other: Tally): Tally {
    for (const [key, count] of other.#counts) this.#addTo(key, count)
    return this
  }

  #addTo(key: string, count: number): void {
    const sum = this.get(key) + count
    if (sum === 0) this.#counts.delete(key)
    else this.#counts.set(key, sum)
  }
}

const none: LaneDepth = { waiting: 0, running: 0, oldestAgeMs: 0 }

const keyOf = (lane: Lane, accountId: string): string => `${lane} ${accountId}`

const totalOf = (counts: readonly EntryCount[], lane: Lane, isRunning: boolean): number =>
  counts
    .filter((one) => one.lane === lane && one.isRunning === isRunning)
    .reduce((sum, { count }) => sum + count, 0)

/** An entry goes by an id that tells when it was made; one sent again at a caller's wish by a longer one. */
const ageOf = (id: string | undefined, nowMs: number): number => {
  const madeAtMs = id === undefined ? nowMs : timeOfSortableId(id)
  return Number.isFinite(madeAtMs) ? Math.max(0, nowMs - madeAtMs) : 0
}
