import { type BudgetLimits, type Holding, isSafe } from './safe-state.ts'

/** A part of a budget that its owner disposes of, even if a reservation was never granted. */
export interface BudgetShare extends Disposable {
  /**
   * Resolves when the share has so much; what it has beyond that is released at once. `claim` is the most
   * that it may still ask for, and this amount by default.
   */
  reserve(amount: number, claim?: number): Promise<void>
  /** Whether others wait for what this share has. */
  isWanted(): boolean
}

interface Share extends Holding {
  waiting: { amount: number; grant: () => void } | undefined
}

/**
 * A limit on the memory that many callers use together: a weighted semaphore whose shares grow. An account
 * may have a limit of its own below it, so that something is left for others. The account that has the
 * least comes first, of equal ones that which was granted something the longest ago, and shares that have
 * something before those that have nothing, as they can finish.
 */
export class MemoryBudget {
  readonly #limits: BudgetLimits
  // In the order of their first reservations.
  readonly #shares = new Set<Share>()
  // The accounts of these shares that were granted something, the latest last.
  readonly #granted = new Set<string>()

  constructor({ total, accountMax = total }: { total: number; accountMax?: number }) {
    this.#limits = { total, accountMax }
  }

  open(accountId = ''): BudgetShare {
    const share: Share = { accountId, held: 0, claim: 0, waiting: undefined }
    let isOver = false
    return {
      reserve: (amount, claim = amount) => {
        if (!isOver) this.#shares.add(share)
        return this.#reserve(share, amount, claim)
      },
      isWanted: () => this.#isWanted(share),
      [Symbol.dispose]: () => {
        isOver = true
        if (this.#shares.delete(share)) this.#grant()
        if (!this.#hasShares(accountId)) this.#granted.delete(accountId)
      },
    }
  }

  #reserve(share: Share, amount: number, claim: number): Promise<void> {
    const { accountMax } = this.#limits
    const wanted = Math.min(amount, accountMax)
    share.claim = Math.min(Math.max(claim, amount), accountMax)
    share.held = Math.min(share.held, wanted)
    const { promise, resolve } = Promise.withResolvers<void>()
    share.waiting = { amount: wanted, grant: resolve }
    this.#grant()
    return promise
  }

  /** Grants what is possible. A share that has nothing does not overtake another one of that kind. */
  #grant(): void {
    const closedAccounts = new Set<string>()
    let isClosed = false
    for (const share of this.#inOrder()) {
      const { waiting, held, accountId } = share
      if (!waiting || (held === 0 && (isClosed || closedAccounts.has(accountId)))) continue
      if (this.#isGrantable(share, waiting.amount)) {
        share.held = waiting.amount
        share.waiting = undefined
        this.#granted.delete(accountId)
        this.#granted.add(accountId)
        waiting.grant()
      } else if (held === 0) {
        if (this.#waitsForOwnAccount(share)) closedAccounts.add(accountId)
        else isClosed = true
      }
    }
  }

  #inOrder(): Share[] {
    const heldBy = new Map<string, number>()
    for (const { accountId, held } of this.#shares) {
      heldBy.set(accountId, (heldBy.get(accountId) ?? 0) + held)
    }
    const grantedAt = new Map([...this.#granted].map((accountId, at) => [accountId, at]))
    const ranks = ({ held, accountId }: Share) => [
      held === 0 ? 1 : 0,
      heldBy.get(accountId) ?? 0,
      grantedAt.get(accountId) ?? -1,
    ]
    return [...this.#shares]
      .filter(({ waiting }) => waiting)
      .map((share) => ({ share, ranks: ranks(share) }))
      .toSorted((one, other) => compareEach(one.ranks, other.ranks))
      .map(({ share }) => share)
  }

  #isGrantable(share: Share, amount: number, others: Iterable<Share> = this.#shares): boolean {
    const holdings = [...others].filter((other) => other !== share && other.held > 0)
    return isSafe([...holdings, { ...share, held: amount }], this.#limits)
  }

  #hasShares(accountId: string): boolean {
    return [...this.#shares].some((share) => share.accountId === accountId)
  }

  /** Whether it is not the other accounts that keep the share waiting. */
  #waitsForOwnAccount(share: Share): boolean {
    const ofAccount = [...this.#shares].filter(({ accountId }) => accountId === share.accountId)
    return !this.#isGrantable(share, share.waiting?.amount ?? 0, ofAccount)
  }

  #isWanted({ accountId }: Share): boolean {
    return [...this.#shares].some(
      (other) =>
        other.waiting && (other.accountId === accountId || !this.#waitsForOwnAccount(other)),
    )
  }
}

/** Below zero if the first number that differs is less in `one`. */
const compareEach = (one: readonly number[], other: readonly number[]): number =>
  one.map((number, at) => number - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0
