/** A cache whose entries expire, with a limited number of keys: the oldest entry is evicted first. */
export class TtlCache<Value> {
  readonly #entries = new Map<string, { value: Value; untilMs: number }>()
  readonly #keptMs: number
  readonly #entriesMax: number

  constructor(limits: { keptMs: number; entriesMax: number }) {
    this.#keptMs = limits.keptMs
    this.#entriesMax = limits.entriesMax
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.untilMs > performance.now()) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key)
    // A map keeps the order of insertion: the first key is the oldest.
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined && this.#entries.size >= this.#entriesMax) this.#entries.delete(oldest)
    this.#entries.set(key, { value, untilMs: performance.now() + this.#keptMs })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
