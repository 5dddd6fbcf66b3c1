export interface SemaphoreLimits {
  atOnceMax: number
  /** How many callers of one account may wait. */
  waitingMax: number
  /** Further permits that only an account without any gets, so that no account takes them all. */
  spareMax?: number
}

export interface SemaphoreCaller {
  /** Callers of one account wait in order; the accounts take turns. */
  accountId?: string
  /** Ends the wait: the caller leaves the queue and gets the reason. */
  signal?: AbortSignal | undefined
  /** Waits although too many of its account are waiting. */
  isPatient?: boolean
}

/**
 * A counting semaphore that is fair among accounts (tenants): a permit goes to the account that holds the
 * fewest, and among those to the one whose last turn is the longest ago.
 */
export class Semaphore {
  readonly #limits: Required<SemaphoreLimits>
  // A map keeps the order of insertion: an account that has had its turn is put last.
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #held = new Map<string, number>()
  #takenCount = 0

  constructor(limits: SemaphoreLimits) {
    this.#limits = { spareMax: 0, ...limits }
  }

  /** Undefined if too many callers of the account are waiting already. */
  async run<Result>(
    act: () => Promise<Result>,
    { accountId = '', signal, isPatient = false }: SemaphoreCaller = {},
  ): Promise<{ result: Result } | undefined> {
    signal?.throwIfAborted()
    if (this.#mayTake(accountId)) this.#take(accountId)
    else if (isPatient || this.#waitingCount(accountId) < this.#limits.waitingMax) {
      await this.#wait(accountId, signal)
    } else return undefined
    try {
      return { result: await act() }
    } finally {
      this.#release(accountId)
    }
  }

  #mayTake(accountId: string): boolean {
    const { atOnceMax, spareMax } = this.#limits
    return this.#takenCount < atOnceMax + (this.#held.has(accountId) ? 0 : spareMax)
  }

  #take(accountId: string): void {
    this.#takenCount += 1
    this.#held.set(accountId, (this.#held.get(accountId) ?? 0) + 1)
  }

  /** Resolves with a permit taken, so that no newcomer overtakes. */
  #wait(accountId: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const callers = this.#waiting.get(accountId) ?? new Set()
    this.#waiting.set(accountId, callers)
    const grant = () => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    const leave = () => {
      callers.delete(grant)
      if (callers.size === 0) this.#waiting.delete(accountId)
      reject(signal?.reason)
    }
    callers.add(grant)
    signal?.addEventListener('abort', leave, { once: true })
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
    const accountId = this.#nextAccount()
    const callers = this.#waiting.get(accountId ?? '')
    const [grant] = callers ?? []
    if (accountId === undefined || !callers || !grant) return
    callers.delete(grant)
    this.#waiting.delete(accountId)
    if (callers.size > 0) this.#waiting.set(accountId, callers)
    this.#take(accountId)
    grant()
  }

  #nextAccount(): string | undefined {
    let next: string | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const accountId of this.#waiting.keys()) {
      const held = this.#held.get(accountId) ?? 0
      if (held < fewest && this.#mayTake(accountId)) [next, fewest] = [accountId, held]
    }
    return next
  }

  #waitingCount(accountId: string): number {
    return this.#waiting.get(accountId)?.size ?? 0
  }
}
