import type { QueuePeak } from '../domain/task/activity.ts'
import { type Lane, lanes, taskLanes } from '../domain/task/lane.ts'
import type { Log } from '../runtime/log.ts'
import { timeOfSortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import { countEntries, type EntryCount, oldestUnstarted } from '../storage/queries/queue.ts'

export interface LaneDepth {
  waiting: number
  running: number
  /** How long the oldest entry that was never claimed has been waiting. */
  oldestAgeMs: number
}

/** An entry that counts from its admission on, before its transaction is committed. */
interface PendingEntry {
  committed(): void
  withdrawn(): void
}

const countIntervalMs = 1_000
// Counting 200,000 entries takes SQLite 25 ms and PostgreSQL 130. It may take a tenth of the time at
// most; the maximum keeps one slow call from leaving a stale count for long.
const pausePerCountingMs = 10
const countIntervalMsMax = 5_000
const countDeadlineMs = 5_000

/**
 * The queue's depth over all processes, for backpressure. It is counted in the store about once a second
 * and adjusted in between by what this process adds and finishes, so that reading it costs no query.
 */
export class Depths implements Disposable {
  readonly #db: Database
  readonly #log: Log
  readonly #entering = new Tally()
  readonly #begun = new Tally()
  #counted = new Tally()
  #since = new Tally()
  /** What came and went before the count that is under way. */
  #beingCounted = new Tally()
  #lanes: Record<Lane, LaneDepth> = { http: none, browser: none, delivery: none }
  #accounts: ReadonlyMap<string, QueuePeak> = new Map()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ db, log }: { db: Database; log: Log }) {
    this.#db = db
    this.#log = log
    void this.#count()
  }

  /** Waiting and running entries, of all accounts and of one account (tenant). */
  of(lane: Lane, accountId: string): { inAll: number; ofAccount: number } {
    const sum = (key: string) => this.#known(key) + this.#entering.get(key)
    return { inAll: sum(lane), ofAccount: sum(keyOf(lane, accountId)) }
  }

  enter(lane: Lane, accountId: string, count = 1): PendingEntry {
    this.#entering.add(lane, accountId, count)
    return {
      committed: () => {
        this.#entering.add(lane, accountId, -count)
        this.#since.add(lane, accountId, count)
      },
      withdrawn: () => this.#entering.add(lane, accountId, -count),
    }
  }

  /** The same for an entry that begins before it is written. */
  begin(lane: Lane, accountId: string): PendingEntry {
    const entering = this.enter(lane, accountId)
    this.#begun.add(lane, accountId, 1)
    const written = (): void => this.#begun.add(lane, accountId, -1)
    return {
      committed() {
        written()
        entering.committed()
      },
      withdrawn() {
        written()
        entering.withdrawn()
      },
    }
  }

  /** How many tasks of the account have begun at this process and are not written. */
  begunOf(accountId: string): number {
    return taskLanes.reduce((sum, lane) => sum + this.#begun.get(keyOf(lane, accountId)), 0)
  }

  left(lane: Lane, accountId: string, count = 1): void {
    const key = keyOf(lane, accountId)
    this.#since.add(lane, accountId, -Math.min(count, Math.max(0, this.#known(key))))
  }

  byLane(): Record<Lane, LaneDepth> {
    const withBegun = (lane: Lane): LaneDepth => {
      const depth = this.#lanes[lane]
      return { ...depth, running: depth.running + this.#begun.get(lane) }
    }
    return {
      http: withBegun('http'),
      browser: withBegun('browser'),
      delivery: this.#lanes.delivery,
    }
  }

  /** The waiting tasks of each account that has any, at the last count. */
  byAccount(): ReadonlyMap<string, QueuePeak> {
    return this.#accounts
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #known(key: string): number {
    return this.#counted.get(key) + this.#beingCounted.get(key) + this.#since.get(key)
  }

  async #count(): Promise<void> {
    const startedAtMs = performance.now()
    this.#beingCounted = this.#since
    this.#since = new Tally()
    try {
      const [counts, ...firsts] = await this.#db.transaction(
        [countEntries(), ...lanes.map(oldestUnstarted)] as const,
        { deadlineMs: countDeadlineMs },
      )
      this.#update(counts, firsts)
    } catch (error) {
      this.#since = this.#beingCounted.plus(this.#since)
      this.#log.debug({ err: error }, 'Failed to count the queue; using the last count.')
    }
    this.#beingCounted = new Tally()
    if (this.#isClosed) return
    const pauseMs = pausePerCountingMs * (performance.now() - startedAtMs)
    const boundedMs = Math.min(Math.max(pauseMs, countIntervalMs), countIntervalMsMax)
    this.#timer = setTimeout(() => void this.#count(), boundedMs).unref()
  }

  #update(counts: readonly EntryCount[], firsts: readonly { id: string }[][]): void {
    const counted = new Tally()
    for (const { lane, accountId, count } of counts) counted.add(lane, accountId, count)
    this.#counted = counted
    this.#since.keepAbove(counted)
    const nowMs = this.#db.nowMs()
    this.#accounts = waitingByAccount(counts, nowMs)
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

/** Counts by lane, and by account within a lane. */
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

  /**
   * Forgets what left more often than it was counted: an entry that leaves while the store is counted may
   * be missing there already, and would make room for two.
   */
  keepAbove(counted: Tally): void {
    for (const [key, count] of this.#counts) {
      if (count < -counted.get(key)) this.#addTo(key, -counted.get(key) - count)
    }
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

/** Deliveries wait for their receivers, by their schedule, so they are left out. */
function waitingByAccount(
  counts: readonly EntryCount[],
  nowMs: number,
): ReadonlyMap<string, QueuePeak> {
  const accounts = new Map<string, QueuePeak>()
  for (const { lane, accountId, isRunning, count, oldestId } of counts) {
    if (isRunning || lane === 'delivery') continue
    const before = accounts.get(accountId)
    accounts.set(accountId, {
      waiting: (before?.waiting ?? 0) + count,
      oldestAgeMs: Math.max(before?.oldestAgeMs ?? 0, ageOf(oldestId ?? undefined, nowMs)),
    })
  }
  return accounts
}

/** An entry's id is a sortable id, which holds its creation time; a delivery sent again has a longer id. */
const ageOf = (id: string | undefined, nowMs: number): number => {
  const madeAtMs = id === undefined ? nowMs : timeOfSortableId(id)
  return Number.isFinite(madeAtMs) ? Math.max(0, nowMs - madeAtMs) : 0
}
