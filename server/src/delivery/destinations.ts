import {
  failuresBeforeCircuitOpens,
  perAccountAndDestinationMax,
  perDestinationMax,
} from '../domain/delivery/delivery.ts'
import type { ConcurrencyLimit } from '../queue/concurrency-limits.ts'
import { TtlCache } from '../runtime/sharing/ttl-cache.ts'

// An evicted circuit only loses its failure count: it closes.
const circuitsMax = 10_000

/** What one account sends to one receiver. */
interface Circuit {
  accountId: string
  destination: string
}

/**
 * A circuit breaker for each account and receiver: after failures in a row the account sends one
 * delivery at a time there. It is the account's own, as its URL or its bodies may be what fails.
 */
export class Destinations {
  readonly #failuresInARow = new TtlCache<number>({ entriesMax: circuitsMax })

  /** How many deliveries may be sent at once, over all processes. */
  limitOf(circuit: Circuit): ConcurrencyLimit {
    const failures = this.#failuresInARow.get(nameOf(circuit)) ?? 0
    return {
      max: perDestinationMax,
      accountMax: failures >= failuresBeforeCircuitOpens ? 1 : perAccountAndDestinationMax,
      isGlobal: true,
    }
  }

  record(circuit: Circuit, isSuccess: boolean): void {
    const name = nameOf(circuit)
    const failures = this.#failuresInARow.get(name)
    if (!isSuccess) this.#failuresInARow.set(name, (failures ?? 0) + 1)
    else if (failures !== undefined) this.#failuresInARow.delete(name)
  }

  countOpenCircuits(): number {
    const failures = [...this.#failuresInARow.values()]
    return failures.filter((inARow) => inARow >= failuresBeforeCircuitOpens).length
  }
}

const nameOf = ({ accountId, destination }: Circuit): string => `${accountId} ${destination}`
