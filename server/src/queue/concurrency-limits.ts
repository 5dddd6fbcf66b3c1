/** How much of what shares a concurrency key may be worked on at once. */
export interface ConcurrencyLimit {
  max: number
  /** Whether it holds over all processes of the store; otherwise each has its own. */
  isGlobal: boolean
}

interface KeyUse {
  /** Entries of the key that this process holds or is claiming. */
  claimed: number
  /** Those of them that are worked on. */
  running: number
  /** Those that were prefetched and wait for a slot, in the order of their coming. */
  waiting: Set<() => void>
}

/** How many entries may be claimed ahead of a slot, so that a busy key does not wait for the store. */
interface Prefetch {
  perKeyMax: number
  totalMax: number
}

/** A semaphore for each concurrency key, as far as this process takes part in it. */
export class ConcurrencyLimits {
  readonly #limitOf: (key: string) => ConcurrencyLimit
  readonly #prefetch: Prefetch
  readonly #useByKey = new Map<string, KeyUse>()
  #waitingCount = 0

  constructor(
    limitOf: (key: string) => ConcurrencyLimit,
    prefetch = { perKeyMax: 0, totalMax: 0 },
  ) {
    this.#limitOf = limitOf
    this.#prefetch = prefetch
  }

  /** How many entries are held, but not worked on. */
  get waitingCount(): number {
    return this.#waitingCount
  }

  of(key: string): ConcurrencyLimit {
    return this.#limitOf(key)
  }

  /** Whether what is claimed now would be worked on at once. */
  hasFree(key: string | undefined): boolean {
    return key === undefined || this.#claimedOf(key) < this.#limitOf(key).max
  }

  canClaim(key: string | undefined): boolean {
    if (key === undefined || this.hasFree(key)) return true
    const { perKeyMax, totalMax } = this.#prefetch
    return (
      this.#waitingCount < totalMax && this.#claimedOf(key) < this.#limitOf(key).max + perKeyMax
    )
  }

  /** Prefetched entries are claimed by the dozen: one by one each would cost a statement. */
  isWorthClaiming(key: string): boolean {
    return this.#claimedOf(key) < this.#limitOf(key).max + this.#prefetch.perKeyMax / 2
  }

  claim(key: string | undefined): void {
    if (key === undefined) return
    const use = this.#useByKey.get(key)
    if (use) use.claimed += 1
    else this.#useByKey.set(key, { claimed: 1, running: 0, waiting: new Set() })
  }

  unclaim(key: string | undefined, count = 1): void {
    const use = key === undefined ? undefined : this.#useByKey.get(key)
    if (key === undefined || !use) return
    use.claimed -= count
    if (use.claimed === 0) this.#useByKey.delete(key)
  }

  /** Resolves once a claimed entry has a slot of its key; false if it was given up before. */
  async acquire(key: string, signal: AbortSignal): Promise<boolean> {
    const use = this.#useByKey.get(key)
    if (!use || signal.aborted) return false
    if (use.running < this.#limitOf(key).max) {
      use.running += 1
      return true
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const onSlot = () => leave(true)
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

  /** Passes the slot on to the next that waits for it. */
  release(key: string): void {
    const use = this.#useByKey.get(key)
    if (!use) return
    use.running -= 1
    for (const onSlot of use.waiting) {
      if (use.running >= this.#limitOf(key).max) return
      use.running += 1
      onSlot()
    }
  }

  #claimedOf(key: string): number {
    return this.#useByKey.get(key)?.claimed ?? 0
  }
}
