interface AccountCacheLimits {
  bytesMax: number
  /** What is larger is not cached. */
  entryBytesMax: number
}

interface Entry<Value> {
  value: Value
  bytes: number
  /** Since the last `dropUnused`. */
  isUsed: boolean
}

interface Holding<Value> {
  bytes: number
  /** In the order of their last use. */
  entries: Map<string, Entry<Value>>
}

/**
 * An LRU cache that accounts (tenants) share, limited by bytes. When it is full, the account that holds
 * the most loses what it has not used for the longest time, so none can push out what others have.
 */
export class AccountCache<Value> {
  readonly #limits: AccountCacheLimits
  readonly #holdings = new Map<string, Holding<Value>>()
  #bytes = 0

  constructor(limits: AccountCacheLimits) {
    this.#limits = limits
  }

  get bytes(): number {
    return this.#bytes
  }

  /** An account finds only what was cached for itself. */
  get(accountId: string, key: string): Value | undefined {
    const entries = this.#holdings.get(accountId)?.entries
    const entry = entries?.get(key)
    if (!entries || !entry) return undefined
    entry.isUsed = true
    // A map keeps the order of insertion: the first key is the one that was used the longest ago.
    entries.delete(key)
    entries.set(key, entry)
    return entry.value
  }

  set(accountId: string, key: string, { value, bytes }: { value: Value; bytes: number }): void {
    this.#delete(accountId, key)
    if (bytes > this.#limits.entryBytesMax) return
    const holding = this.#holdings.get(accountId) ?? { bytes: 0, entries: new Map() }
    this.#holdings.set(accountId, holding)
    holding.entries.set(key, { value, bytes, isUsed: true })
    holding.bytes += bytes
    this.#bytes += bytes
    while (this.#bytes > this.#limits.bytesMax) this.#evictOne()
  }

  /** Drops what nobody has used since the last call. */
  dropUnused(): void {
    for (const [accountId, { entries }] of this.#holdings) {
      for (const [key, entry] of entries) {
        if (entry.isUsed) entry.isUsed = false
        else this.#delete(accountId, key)
      }
    }
  }

  clear(): void {
    this.#holdings.clear()
    this.#bytes = 0
  }

  #evictOne(): void {
    let largest: [accountId: string, holding: Holding<Value>] | undefined
    for (const one of this.#holdings) {
      if (!largest || one[1].bytes > largest[1].bytes) largest = one
    }
    const [oldest] = largest?.[1].entries.keys() ?? []
    if (largest && oldest !== undefined) this.#delete(largest[0], oldest)
  }

  #delete(accountId: string, key: string): void {
    const holding = this.#holdings.get(accountId)
    const entry = holding?.entries.get(key)
    if (!holding || !entry) return
    holding.entries.delete(key)
    holding.bytes -= entry.bytes
    this.#bytes -= entry.bytes
    if (holding.entries.size === 0) this.#holdings.delete(accountId)
  }
}
