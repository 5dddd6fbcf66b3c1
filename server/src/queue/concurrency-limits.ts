/** How many entries with the same concurrency key may run at once. */
export interface ConcurrencyLimit {
  max: number
  /** Whether the limit counts over all processes of the store; otherwise each has its own. */
  isGlobal: boolean
}

interface KeyUse {
  /** Entries of the key that this process holds or is claiming. */
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

/** A semaphore for each concurrency key, counting the entries of this process. */
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

  /** How many entries are held, but wait for a slot of their key. */
  get waitingCount(): number {
    return this.#waitingCount
  }

  of(key: string): ConcurrencyLimit {
    return this.#limitOf(key)
  }

  /** Whether an entry that is claimed now would run at once. */
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

  /** Whether enough may be claimed: prefetching entries one by one would cost a statement each. */
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

  /** Resolves with true once the entry has a slot of its key, with false if it was aborted before. */
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

  /** Passes the slot to the next entry that waits for it. */
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
