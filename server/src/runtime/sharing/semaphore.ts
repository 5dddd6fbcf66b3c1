export interface SemaphoreLimits {
  atOnceMax: number
  /** How many callers of one account may wait. */
  waitingMax: number
  /** How many permits one account may hold; all if not given. */
  accountMax?: number
  /** Further permits that only an account without any gets, so that no account takes them all. */
  spareMax?: number
  /** How long such an account waits for its turn before it gets a spare permit. */
  spareAfterMs?: number
  /** Whether a spare permit costs nothing at this moment, so that nobody has to wait for it. */
  isSpareReady?(): boolean
}

export interface SemaphoreCaller {
  /** Callers of one account wait in order; the accounts take turns. */
  accountId?: string
  /** Ends the wait: the caller leaves the queue and gets the reason. */
  signal?: AbortSignal | undefined
  /** Waits although too many of its account are waiting. */
  ignoresWaitingMax?: boolean
}

interface Waiter {
  hasWaitedForSpare: boolean
  grant(): void
}

/**
 * A counting semaphore that is fair among accounts (tenants): a permit goes to the account that holds the
 * fewest, and among those to the one whose last turn is the longest ago.
 */
export class Semaphore {
  readonly #limits: Required<SemaphoreLimits>
  // A map keeps the order of insertion: an account that has had its turn is put last.
  readonly #waiting = new Map<string, Set<Waiter>>()
  readonly #held = new Map<string, number>()
  #takenCount = 0

  constructor(limits: SemaphoreLimits) {
    const isSpareReady = () => !limits.spareAfterMs
    this.#limits = {
      accountMax: Number.POSITIVE_INFINITY,
      spareMax: 0,
      spareAfterMs: 0,
      isSpareReady,
      ...limits,
    }
  }

  /** Undefined if too many callers of the account are waiting already. */
  async run<Result>(
    act: () => Promise<Result>,
    { accountId = '', signal, ignoresWaitingMax = false }: SemaphoreCaller = {},
  ): Promise<{ result: Result } | undefined> {
    signal?.throwIfAborted()
    if (this.#mayTake(accountId)) this.#take(accountId)
    else if (ignoresWaitingMax || this.#waitingCount(accountId) < this.#limits.waitingMax) {
      await this.#wait(accountId, signal)
    } else return undefined
    try {
      return { result: await act() }
    } finally {
      this.#release(accountId)
    }
  }

  #mayTake(accountId: string, hasWaitedForSpare = false): boolean {
    const { atOnceMax, accountMax, spareMax, isSpareReady } = this.#limits
    const held = this.#held.get(accountId) ?? 0
    if (held >= accountMax) return false
    const isSpared = held === 0 && (hasWaitedForSpare || isSpareReady())
    return this.#takenCount < atOnceMax + (isSpared ? spareMax : 0)
  }

  #take(accountId: string): void {
    this.#takenCount += 1
    this.#held.set(accountId, (this.#held.get(accountId) ?? 0) + 1)
  }

  /** Resolves with a permit taken, so that no newcomer overtakes. */
  #wait(accountId: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { spareMax, spareAfterMs } = this.#limits
    const waiters = this.#waiting.get(accountId) ?? new Set()
    const waiter: Waiter = { hasWaitedForSpare: false, grant: () => stop(resolve) }
    const leave = () => {
      waiters.delete(waiter)
      if (waiters.size === 0) this.#waiting.delete(accountId)
      stop(() => reject(signal?.reason))
    }
    const spare = () => {
      waiter.hasWaitedForSpare = true
      this.#grantNext()
    }
    const timer = spareMax > 0 && spareAfterMs > 0 ? setTimeout(spare, spareAfterMs) : undefined
    const stop = (settle: () => void) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      settle()
    }
    this.#waiting.set(accountId, waiters.add(waiter))
    signal?.addEventListener('abort', leave)
    return promise
  }

  #release(accountId: string): void {
    this.#takenCount -= 1
    const held = (this.#held.get(accountId) ?? 0) - 1
    if (held > 0) this.#held.set(accountId, held)
    else this.#held.delete(accountId)
    this.#grantNext()
  }

  #grantNext(): void {
    const next = this.#nextWaiter()
    if (!next) return
    const { accountId, waiter } = next
    const waiters = this.#waiting.get(accountId) ?? new Set()
    waiters.delete(waiter)
    this.#waiting.delete(accountId)
    if (waiters.size > 0) this.#waiting.set(accountId, waiters)
    this.#take(accountId)
    waiter.grant()
  }

  #nextWaiter(): { accountId: string; waiter: Waiter } | undefined {
    let next: { accountId: string; waiter: Waiter } | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [accountId, [waiter]] of this.#waiting) {
      const held = this.#held.get(accountId) ?? 0
      if (!waiter || held >= fewest || !this.#mayTake(accountId, waiter.hasWaitedForSpare)) continue
      next = { accountId, waiter }
      fewest = held
    }
    return next
  }

  #waitingCount(accountId: string): number {
    return this.#waiting.get(accountId)?.size ?? 0
  }
}
