import type { HeldEntry } from './held-entry.ts'

const looksPerPatience = 4

interface Limits {
  patienceMs?: number | undefined
  slotsMax: () => number
}

/** Tells work that takes its time, whose slot others need not wait for. */
export class SlowWork implements Disposable {
  readonly #patienceMs: number
  readonly #countMax: () => number
  readonly #onMore: () => void
  #timer: NodeJS.Timeout | undefined
  // In the order in which it was begun.
  readonly #quick = new Map<HeldEntry, number>()
  readonly #slow = new Set<HeldEntry>()

  constructor({ patienceMs, slotsMax }: Limits, onMore: () => void) {
    this.#patienceMs = patienceMs ?? Number.POSITIVE_INFINITY
    this.#countMax = slotsMax
    this.#onMore = onMore
    if (patienceMs !== undefined) {
      this.#timer = setInterval(() => this.#look(), patienceMs / looksPerPatience)
    }
  }

  get count(): number {
    return this.#slow.size
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

  #look(): void {
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
