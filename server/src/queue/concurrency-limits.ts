import type { Flow } from '../domain/task/flow.ts'

/** How many entries with the same concurrency key may run at once. */
export interface ConcurrencyLimit {
  /** Over all accounts. */
  max: number
  /** How many of them may belong to the account in question; all of them by default. */
  accountMax?: number
  /** Whether the limit counts over all processes of the store; otherwise each has its own. */
  isGlobal: boolean
}

/** Whose entries, under which key. */
export type KeyUser = Pick<Flow, 'accountId' | 'concurrencyKey'>

interface KeyUse {
  /** Entries of the account under the key that this process holds or is claiming. */
  claimed: number
  /** How many of them run. */
  running: number
  /** Prefetched entries that wait for a slot, oldest first. */
  waiting: Set<() => void>
}

/** How many entries may be claimed before they have a slot, so that a busy key never waits for a claim. */
interface Prefetch {
  perKeyMax: number
  totalMax: number
}

/**
 * A semaphore for each concurrency key, counting the entries of this process. Accounts that share a key
 * take turns at its slots, and each may have a limit of its own below that of the key.
 */
export class ConcurrencyLimits {
  readonly #limitOf: (key: string, accountId: string) => ConcurrencyLimit
  readonly #prefetch: Prefetch
  // Maps keep insertion order: an account that has had its turn at a key is put last.
  readonly #usesByKey = new Map<string, Map<string, KeyUse>>()
  #waitingCount = 0

  constructor(
    limitOf: (key: string, accountId: string) => ConcurrencyLimit,
    prefetch = { perKeyMax: 0, totalMax: 0 },
  ) {
    this.#limitOf = limitOf
    this.#prefetch = prefetch
  }

  /** How many entries are held, but wait for a slot of their key. */
  get waitingCount(): number {
    return this.#waitingCount
  }

  of({ concurrencyKey: key, accountId }: KeyUser): Required<ConcurrencyLimit> {
    const limit = key === undefined ? noLimit : this.#limitOf(key, accountId)
    return { accountMax: limit.max, ...limit }
  }

  /** Whether an entry that is claimed now would run at once. */
  hasFree(user: KeyUser): boolean {
    return this.#claimedOf(user) < this.#slotsFor(user)
  }

  canClaim(user: KeyUser): boolean {
    if (this.hasFree(user)) return true
    const { perKeyMax, totalMax } = this.#prefetch
    return this.#waitingCount < totalMax && this.#claimedOf(user) < this.#slotsFor(user) + perKeyMax
  }

  /** Whether enough may be claimed: prefetching entries one by one would cost a statement each. */
  isWorthClaiming(user: KeyUser): boolean {
    return this.#claimedOf(user) < this.#slotsFor(user) + this.#prefetch.perKeyMax / 2
  }

  claim({ concurrencyKey: key, accountId }: KeyUser): void {
    if (key === undefined) return
    const uses = this.#usesByKey.get(key) ?? new Map<string, KeyUse>()
    this.#usesByKey.set(key, uses)
    const use = uses.get(accountId)
    if (use) use.claimed += 1
    else uses.set(accountId, { claimed: 1, running: 0, waiting: new Set() })
  }

  unclaim({ concurrencyKey: key = '', accountId }: KeyUser, count = 1): void {
    const uses = this.#usesByKey.get(key)
    const use = uses?.get(accountId)
    if (!uses || !use) return
    use.claimed -= count
    if (use.claimed === 0) uses.delete(accountId)
    if (uses.size === 0) this.#usesByKey.delete(key)
  }

  /**
   * Resolves with true once the entry has a slot of its key, with false if it was aborted before.
   * `onAcquired` is called at the moment at which it is counted as running.
   */
  async acquire(user: KeyUser, signal: AbortSignal, onAcquired?: () => void): Promise<boolean> {
    const use = this.#useOf(user)
    if (!use || signal.aborted) return false
    if (this.#canRun(user)) {
      this.#countRunning(user, use)
      onAcquired?.()
      return true
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const onSlot = () => {
      onAcquired?.()
      leave(true)
    }
    const onAbort = () => leave(false)
    const leave = (hasSlot: boolean) => {
      use.waiting.delete(onSlot)
      this.#waitingCount -= 1
      signal.removeEventListener('abort', onAbort)
      resolve(hasSlot)
    }
    use.waiting.add(onSlot)
    this.#waitingCount += 1
    signal.addEventListener('abort', onAbort)
    return promise
  }

  /** Passes the slot to the next entry that waits for it. */
  release(user: KeyUser): void {
    const use = this.#useOf(user)
    if (!use) return
    use.running -= 1
    for (let isStarted = true; isStarted; ) isStarted = this.#startNext(user.concurrencyKey ?? '')
  }

  #startNext(concurrencyKey: string): boolean {
    for (const [accountId, use] of this.#usesByKey.get(concurrencyKey) ?? []) {
      const user = { concurrencyKey, accountId }
      const [onSlot] = use.waiting
      if (!onSlot || !this.#canRun(user)) continue
      this.#countRunning(user, use)
      onSlot()
      return true
    }
    return false
  }

  #countRunning({ concurrencyKey = '', accountId }: KeyUser, use: KeyUse): void {
    use.running += 1
    const uses = this.#usesByKey.get(concurrencyKey)
    uses?.delete(accountId)
    uses?.set(accountId, use)
  }

  #canRun(user: KeyUser): boolean {
    const { max, accountMax } = this.of(user)
    const isBelowOwn = (this.#useOf(user)?.running ?? 0) < accountMax
    return isBelowOwn && this.#sumOverKey(user, (use) => use.running) < max
  }

  /** How many slots of the key are left for the account, those that it uses included. */
  #slotsFor(user: KeyUser): number {
    const { max, accountMax } = this.of(user)
    const ofOthers = this.#sumOverKey(user, (use, accountId) => {
      if (accountId === user.accountId) return 0
      const other = this.of({ ...user, accountId })
      // What was only prefetched uses no slot.
      return Math.max(use.running, Math.min(use.claimed, other.accountMax))
    })
    return Math.min(accountMax, max - ofOthers)
  }

  #sumOverKey(
    { concurrencyKey = '' }: KeyUser,
    count: (use: KeyUse, accountId: string) => number,
  ): number {
    let sum = 0
    const uses = this.#usesByKey.get(concurrencyKey)
    for (const [accountId, use] of uses ?? []) sum += count(use, accountId)
    return sum
  }

  #claimedOf(user: KeyUser): number {
    return this.#useOf(user)?.claimed ?? 0
  }

  #useOf({ concurrencyKey = '', accountId }: KeyUser): KeyUse | undefined {
    return this.#usesByKey.get(concurrencyKey)?.get(accountId)
  }
}

const noLimit: ConcurrencyLimit = { max: Number.POSITIVE_INFINITY, isGlobal: false }
