import { type Flow, readFlow, type Suspicion } from '../domain/task/flow.ts'
import type { ConcurrencyLimits } from './concurrency-limits.ts'
import { FairFlows, type FlowClaim, type MayHaveMore } from './fair-flows.ts'

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
  planClaims(slots: { free: number; forSuspects: number }, mayHaveMore?: MayHaveMore): FlowClaim[] {
    const { none, once } = this.#flowsBy
    const ofSuspects = once.planClaims(Math.min(slots.free, slots.forSuspects), mayHaveMore)
    const taken = ofSuspects.reduce((sum, { count }) => sum + count, 0)
    return [...ofSuspects, ...none.planClaims(slots.free - taken, mayHaveMore)]
  }

  /** The claim of the next entry that has to run alone. */
  planIsolatedClaim(): FlowClaim | undefined {
    return this.#flowsBy.twice.planClaims(1)[0]
  }

  claimed(claim: FlowClaim, claimedCount: number, hasMore: boolean): void {
    this.#flowsBy[claim.flow.suspicion].claimed(claim, claimedCount, hasMore)
  }

  unblock(key: string): void {
    for (const flows of Object.values(this.#flowsBy)) flows.unblock(key)
  }
}
