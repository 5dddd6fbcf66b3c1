import type { ConcurrencyLimits } from './concurrency-limits.ts'
import { mayOpenExtraSlot } from './extra-slots.ts'
import type { FlowClaim, MayHaveMore } from './fair-flows.ts'
import type { HeldEntry } from './held-entry.ts'
import type { LaneOptions } from './lane-options.ts'
import type { SlowWork } from './slow-work.ts'

interface LaneSlotsParts extends Pick<LaneOptions<never>, 'delaysOthers'> {
  slotsMax: () => number
  held: ReadonlySet<HeldEntry>
  limits: ConcurrencyLimits
  slowWork: SlowWork
}

// If one of the suspects takes the process down again, at most so many become suspects twice.
const suspectsShareMax = 0.5
// Enough for the pages of one account to use the processor, and few between two steps of a request.
const shareIfOthersWait = 1 / 4

/** How many slots of a lane are free, and which account may have one. */
export class LaneSlots {
  /** Claims that the store has not answered yet; each takes the slots of what it may bring. */
  readonly claims = new Set<FlowClaim>()
  readonly #parts: LaneSlotsParts

  constructor(parts: LaneSlotsParts) {
    this.#parts = parts
  }

  get busyCount(): number {
    return this.#parts.held.size + this.#beingClaimedCount
  }

  get freeCount(): number {
    const { slotsMax, held, limits, slowWork } = this.#parts
    const runningCount = held.size - limits.waitingCount
    return slotsMax() + slowWork.count - runningCount - this.#beingClaimedCount
  }

  get freeForSuspects(): number {
    const { slotsMax, held } = this.#parts
    const beingClaimed = [...this.claims]
      .filter(({ flow }) => flow.suspicion === 'once')
      .reduce((sum, { count }) => sum + count, 0)
    const heldCount = [...held].filter(({ isSuspect }) => isSuspect).length
    return Math.max(1, Math.floor(suspectsShareMax * slotsMax())) - beingClaimed - heldCount
  }

  /** What is withheld here is claimed when other work ends, or at the next poll. */
  readonly mayHaveMore: MayHaveMore = (accountId, givenCount) => {
    const { delaysOthers, slotsMax } = this.#parts
    if (!delaysOthers?.(accountId)) return true
    const heldCount = this.#countByAccount().get(accountId) ?? 0
    return heldCount + givenCount < Math.max(1, shareIfOthersWait * slotsMax())
  }

  /** Who may have a slot beyond those of a full lane; undefined if nobody. */
  get extra(): MayHaveMore | undefined {
    const slotsMax = this.#parts.slotsMax()
    const usedCount = slotsMax - this.freeCount
    const heldByAccount = this.#countByAccount()
    if (!mayOpenExtraSlot({ slotsMax, usedCount, heldByAccount })) return undefined
    return (accountId) => !heldByAccount.has(accountId)
  }

  get #beingClaimedCount(): number {
    return [...this.claims].reduce((sum, { count }) => sum + count, 0)
  }

  #countByAccount(): Map<string, number> {
    const { held, slowWork } = this.#parts
    const counts = new Map<string, number>()
    const add = (accountId: string, count: number) =>
      void counts.set(accountId, (counts.get(accountId) ?? 0) + count)
    for (const one of held) if (!one.isWaiting && !slowWork.has(one)) add(one.accountId, 1)
    for (const { flow, count } of this.claims) add(flow.accountId, count)
    return counts
  }
}
