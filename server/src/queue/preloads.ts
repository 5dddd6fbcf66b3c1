interface Kept<Preloaded> {
  preloaded: Preloaded
  bytes: number
  untilMs: number
}

const bytesMax = 32 * 2 ** 20
// Another process may have claimed the entry, of which this one is not notified.
const keptMs = 120_000

/**
 * A cache, with a TTL, of what this process knew of an entry when it wrote it, until it claims the entry.
 * Reading a result again and formatting it costs more than all the rest of a delivery.
 */
export class Preloads<Preloaded> {
  readonly #bytesOf: (preloaded: Preloaded) => number | undefined
  readonly #keptById = new Map<string, Kept<Preloaded>>()
  #bytes = 0

  constructor(bytesOf: (preloaded: Preloaded) => number | undefined = () => undefined) {
    this.#bytesOf = bytesOf
  }

  /** A full cache takes no more: the oldest must stay, because they are claimed next. */
  keep(id: string, preloaded: Preloaded): void {
    this.#dropExpired()
    const bytes = this.#bytesOf(preloaded)
    if (bytes === undefined || this.#bytes + bytes > bytesMax) return
    this.#bytes += bytes
    this.#keptById.set(id, { preloaded, bytes, untilMs: performance.now() + keptMs })
  }

  /** Only for the first lease of the entry: later ones must read what earlier ones wrote. */
  take({ id, fence }: { id: string; fence: number }): Preloaded | undefined {
    const kept = this.#keptById.get(id)
    this.#drop(id)
    return fence === 1 ? kept?.preloaded : undefined
  }

  #dropExpired(): void {
    const nowMs = performance.now()
    for (const [id, { untilMs }] of this.#keptById) {
      if (untilMs > nowMs) return
      this.#drop(id)
    }
  }

  #drop(id: string): void {
    this.#bytes -= this.#keptById.get(id)?.bytes ?? 0
    this.#keptById.delete(id)
  }
}
