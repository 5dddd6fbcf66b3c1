/** How much of what shares a concurrency key may be worked on at once. */
export interface ConcurrencyLimit {
  max: number
  /** Whether it holds over all processes of the store; otherwise each has its own. */
  isGlobal: boolean
}

/** A semaphore for each concurrency key, as far as this process takes part in it. */
export class ConcurrencyLimits {
  readonly #limitOf: (key: string) => ConcurrencyLimit
  readonly #takenByKey = new Map<string, number>()

  constructor(limitOf: (key: string) => ConcurrencyLimit) {
    this.#limitOf = limitOf
  }

  of(key: string): ConcurrencyLimit {
    return this.#limitOf(key)
  }

  hasFree(key: string | undefined): boolean {
    return key === undefined || (this.#takenByKey.get(key) ?? 0) < this.#limitOf(key).max
  }

  take(key: string | undefined): void {
    this.#add(key, 1)
  }

  release(key: string | undefined, count = 1): void {
    this.#add(key, -count)
  }

  #add(key: string | undefined, count: number): void {
    if (key === undefined) return
    const taken = (this.#takenByKey.get(key) ?? 0) + count
    if (taken === 0) this.#takenByKey.delete(key)
    else this.#takenByKey.set(key, taken)
  }
}
