import { type Flow, readFlow, type Suspicion } from '../domain/task/flow.ts'
import type { ConcurrencyLimits } from './concurrency-limits.ts'
import { FairFlows, type MayHaveMore, type Turn } from './fair-flows.ts'

/**
 * The flows of a lane. Fresh entries, entries that a process died with and entries that two died with
 * take turns among themselves, so that a crash delays no fresh entry.
 */
export class LaneFlows {
  readonly #flowsBy: Readonly<Record<Suspicion, FairFlows>>

  constructor(limits: ConcurrencyLimits) {
    this.#flowsBy = {
      none: new FairFlows(limits),
      once: new FairFlows(limits),
      twice: new FairFlows(limits),
    }
  }

  /** Whether an entry is ready that has to run alone. */
  get hasIsolated(): boolean {
    return this.#flowsBy.twice.isWaiting
  }

  isBacklogged(flow: Flow): boolean {
    return this.#flowsBy[flow.suspicion].isBacklogged(flow)
  }

  announce(name: string): void {
    this.#flowsBy[readFlow(name).suspicion].announce(name)
  }

  /** Shares out the slots among the accounts that may have one more. Suspects come first, within their share. */
  takeTurns(slots: { free: number; forSuspects: number }, mayHaveMore?: MayHaveMore): Turn[] {
    const { none, once } = this.#flowsBy
    const ofSuspects = once.takeTurns(Math.min(slots.free, slots.forSuspects), mayHaveMore)
    const taken = ofSuspects.reduce((sum, { count }) => sum + count, 0)
    return [...ofSuspects, ...none.takeTurns(slots.free - taken, mayHaveMore)]
  }

  /** The turn of the next entry that has to run alone. */
  takeIsolated(): Turn | undefined {
    return this.#flowsBy.twice.takeTurns(1)[0]
  }

  claimed(turn: Turn, claimedCount: number, hasMore: boolean): void {
    this.#flowsBy[turn.flow.suspicion].claimed(turn, claimedCount, hasMore)
  }

  unblock(key: string): void {
    for (const flows of Object.values(this.#flowsBy)) flows.unblock(key)
  }
}
