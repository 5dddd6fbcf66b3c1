import { failuresBeforeCircuitOpens, perDestinationMax } from '../domain/delivery/delivery.ts'
import type { ConcurrencyLimit } from '../queue/concurrency-limits.ts'
import { TtlCache } from '../runtime/ttl-cache.ts'

// A destination that is forgotten is merely tried by ten at once again.
const rememberedMax = 10_000

/** How receivers have answered lately, so that one that is down is not run at by ten at once. */
export class Destinations {
  readonly #failuresInARow = new TtlCache<number>({ entriesMax: rememberedMax })

  /** How many deliveries may be under way to it at once, over all processes. */
  limitOf(destination: string): ConcurrencyLimit {
    const failures = this.#failuresInARow.get(destination) ?? 0
    return { max: failures >= failuresBeforeCircuitOpens ? 1 : perDestinationMax, isGlobal: true }
  }

  note(destination: string, isSuccess: boolean): void {
    const failures = this.#failuresInARow.get(destination)
    if (!isSuccess) this.#failuresInARow.set(destination, (failures ?? 0) + 1)
    else if (failures !== undefined) this.#failuresInARow.delete(destination)
  }

  /** How many are tried by one delivery at a time. */
  countOneByOne(): number {
    let count = 0
    for (const failures of this.#failuresInARow.values()) {
      if (failures >= failuresBeforeCircuitOpens) count++
    }
    return count
  }
}
