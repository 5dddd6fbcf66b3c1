interface TtlCacheLimits<Value> {
  entriesMax: number
  /** The time to live of an entry; without one it stays until it is evicted. */
  ttlMs?: number
  /** Called with a value that is evicted because the cache is full. */
  onEvicted?: (value: Value) => void
}

/** A bounded map whose entries may expire: when it is full, the entry that was set first is evicted. */
export class TtlCache<Value> {
  readonly #entries = new Map<string, { value: Value; untilMs: number }>()
  readonly #limits: TtlCacheLimits<Value>

  constructor(limits: TtlCacheLimits<Value>) {
    this.#limits = limits
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.untilMs > performance.now()) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  /** Makes the key the newest one, even if it was cached before; setting at every use gives an LRU cache. */
  set(key: string, value: Value): void {
    const { entriesMax, ttlMs = Number.POSITIVE_INFINITY, onEvicted } = this.#limits
    this.#entries.delete(key)
    // A map keeps the order of insertion: the first key is the oldest.
    const [oldest] = this.#entries
    if (oldest !== undefined && this.#entries.size >= entriesMax) {
      this.#entries.delete(oldest[0])
      onEvicted?.(oldest[1].value)
    }
    this.#entries.set(key, { value, untilMs: performance.now() + ttlMs })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  /** All values that were not evicted, expired ones included. */
  *values(): Generator<Value> {
    for (const { value } of this.#entries.values()) yield value
  }
}
