import type { HeldEntry } from './held-entry.ts'

const checksPerPatience = 4

interface Limits {
  patienceMs?: number | undefined
  slotsMax: () => number
}

/** Finds work that has run for longer than `patienceMs`, whose slot other work may use. */
export class SlowWork implements Disposable {
  readonly #patienceMs: number
  readonly #countMax: () => number
  readonly #onMore: () => void
  #timer: NodeJS.Timeout | undefined
  // In the order of their start.
  readonly #quick = new Map<HeldEntry, number>()
  readonly #slow = new Set<HeldEntry>()

  constructor({ patienceMs, slotsMax }: Limits, onMore: () => void) {
    this.#patienceMs = patienceMs ?? Number.POSITIVE_INFINITY
    this.#countMax = slotsMax
    this.#onMore = onMore
    if (patienceMs !== undefined) {
      this.#timer = setInterval(() => this.#reclassify(), patienceMs / checksPerPatience)
    }
  }

  get count(): number {
    return this.#slow.size
  }

  has(held: HeldEntry): boolean {
    return this.#slow.has(held)
  }

  begin(held: HeldEntry): void {
    this.#quick.set(held, performance.now())
  }

  end(held: HeldEntry): void {
    if (!this.#quick.delete(held)) this.#slow.delete(held)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #reclassify(): void {
    const countBefore = this.#slow.size
    const begunBeforeMs = performance.now() - this.#patienceMs
    for (const [held, begunAtMs] of this.#quick) {
      if (begunAtMs > begunBeforeMs || this.#slow.size >= this.#countMax()) break
      this.#quick.delete(held)
      this.#slow.add(held)
    }
    if (this.#slow.size > countBefore) this.#onMore()
  }
}
