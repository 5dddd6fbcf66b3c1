import { failuresBeforeCircuitOpens, perDestinationMax } from '../domain/delivery/delivery.ts'
import type { ConcurrencyLimit } from '../queue/concurrency-limits.ts'
import { TtlCache } from '../runtime/ttl-cache.ts'

// An evicted destination only loses its failure count: its circuit closes.
const destinationsMax = 10_000

/** A circuit breaker for each receiver: after failures in a row it gets one delivery at a time. */
export class Destinations {
  readonly #failuresInARow = new TtlCache<number>({ entriesMax: destinationsMax })

  /** How many deliveries may be sent to it at once, over all processes. */
  limitOf(destination: string): ConcurrencyLimit {
    const failures = this.#failuresInARow.get(destination) ?? 0
    return { max: failures >= failuresBeforeCircuitOpens ? 1 : perDestinationMax, isGlobal: true }
  }

  record(destination: string, isSuccess: boolean): void {
    const failures = this.#failuresInARow.get(destination)
    if (!isSuccess) this.#failuresInARow.set(destination, (failures ?? 0) + 1)
    else if (failures !== undefined) this.#failuresInARow.delete(destination)
  }

  countOpenCircuits(): number {
    const failures = [...this.#failuresInARow.values()]
    return failures.filter((inARow) => inARow >= failuresBeforeCircuitOpens).length
  }
}
