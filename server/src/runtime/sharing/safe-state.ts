/** What one owner has of a resource, and the most that it may come to need before it returns all of it. */
export interface Holding {
  accountId: string
  held: number
  claim: number
}

export interface BudgetLimits {
  /** For all accounts together. */
  total: number
  /** For one account. */
  accountMax: number
}

/**
 * Whether every owner can get all that it may need, one after the other (banker's algorithm). In such a
 * state there is no deadlock: somebody can always go on, finish, and return what it has.
 */
export function isSafe(holdings: readonly Holding[], { total, accountMax }: BudgetLimits): boolean {
  let free = total - sum(holdings)
  const byAccount = Map.groupBy(holdings, ({ accountId }) => accountId)
  const freeOf = new Map([...byAccount].map(([id, ofAccount]) => [id, accountMax - sum(ofAccount)]))
  if (free < 0 || [...freeOf.values()].some((left) => left < 0)) return false
  let waiting = [...holdings]
  while (waiting.length > 0) {
    const still: Holding[] = []
    for (const holding of waiting) {
      const { accountId, held, claim } = holding
      const freeOfAccount = freeOf.get(accountId) ?? 0
      if (claim - held > Math.min(free, freeOfAccount)) {
        still.push(holding)
        continue
      }
      free += held
      freeOf.set(accountId, freeOfAccount + held)
    }
    if (still.length === waiting.length) return false
    waiting = still
  }
  return true
}

const sum = (holdings: readonly Holding[]): number =>
  holdings.reduce((total, { held }) => total + held, 0)
