import { failuresBeforeOneByOne, perDestinationMax } from '../domain/delivery.ts'
import type { ConcurrencyLimit } from '../queue/concurrency-limits.ts'

// A destination that is forgotten is merely tried by ten at once again.
const rememberedMax = 10_000

/** How receivers have answered lately, so that one that is down is not run at by ten at once. */
export class Destinations {
  readonly #failuresInARow = new Map<string, number>()

  /** How many deliveries may be under way to it at once, over all processes. */
  limitOf(destination: string): ConcurrencyLimit {
    const failures = this.#failuresInARow.get(destination) ?? 0
    return { max: failures >= failuresBeforeOneByOne ? 1 : perDestinationMax, isGlobal: true }
  }

  note(destination: string, isSuccess: boolean): void {
    const failures = this.#failuresInARow.get(destination)
    if (isSuccess) {
      if (failures !== undefined) this.#failuresInARow.delete(destination)
      return
    }
    this.#failuresInARow.delete(destination)
    const [oldest] = this.#failuresInARow.keys()
    if (oldest !== undefined && this.#failuresInARow.size >= rememberedMax) {
      this.#failuresInARow.delete(oldest)
    }
    this.#failuresInARow.set(destination, (failures ?? 0) + 1)
  }

  /** How many are tried by one delivery at a time. */
  countOneByOne(): number {
    let count = 0
    for (const failures of this.#failuresInARow.values()) {
      if (failures >= failuresBeforeOneByOne) count++
    }
    return count
  }
}
