import { setTimeout as pause } from 'node:timers/promises'
import type { Database, ResultsOf } from '../storage/database.ts'
import {
  type ClaimedEntry,
  postponeEntry,
  releaseLease,
  removeEntry,
} from '../storage/queue-entries.ts'
import { RequirementUnmet, type Statement } from '../storage/statement.ts'
import { isStoreUnavailable } from '../storage/store-unavailable.ts'
import { holdingKey, type Lease, type Settled } from './lease.ts'

export interface HeldEntryWatch {
  /** A write came too late: the entry belongs to someone else. */
  onFenced(): void
  onPostponed(dueAtMs: number): void
}

/** An entry that this process holds. */
export class HeldEntry implements Lease {
  readonly id: string
  readonly key: string
  readonly workId: string
  readonly accountId: string
  readonly gate: string | undefined
  readonly crashes: number
  readonly startedAtMs: number
  /** False until the transaction that wrote the entry as held is known to be done. */
  isCommitted: boolean
  hasWaited = false
  readonly #db: Database
  readonly #holder: { id: string; fence: number; leasedBy: string }
  readonly #controller = new AbortController()
  readonly #watch: HeldEntryWatch

  constructor(
    entry: Omit<ClaimedEntry, 'position' | 'leasedElsewhere'>,
    parts: { db: Database; leasedBy: string; isCommitted: boolean; watch: HeldEntryWatch },
  ) {
    this.id = entry.id
    this.key = holdingKey(entry)
    this.workId = entry.workId
    this.accountId = entry.accountId
    this.gate = entry.gate
    this.crashes = entry.crashes
    this.startedAtMs = entry.startedAtMs
    this.isCommitted = parts.isCommitted
    this.#db = parts.db
    this.#holder = { id: entry.id, fence: entry.fence, leasedBy: parts.leasedBy }
    this.#watch = parts.watch
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Gives the entry back, to be claimed by whoever is next. */
  release(): Statement<unknown> {
    return releaseLease(this.#holder)
  }

  lose(): void {
    this.#controller.abort(new LeaseLost())
  }

  settle<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
  ): Promise<Settled<Statements>> {
    return this.#write(removeEntry(this.#holder), statements)
  }

  async postpone<const Statements extends readonly Statement<unknown>[]>(
    dueAtMs: number,
    statements: Statements,
  ): Promise<Settled<Statements>> {
    const written = await this.#write(postponeEntry(this.#holder, dueAtMs), statements)
    if (written) this.#watch.onPostponed(dueAtMs)
    return written
  }

  /**
   * What came of the work is offered once even if the lease is unsure, for whoever took it has made
   * the write impossible. A store that does not answer is asked again for as long as it may hold.
   */
  async #write<const Statements extends readonly Statement<unknown>[]>(
    change: Statement<unknown>,
    statements: Statements,
  ): Promise<Settled<Statements>> {
    do {
      try {
        const [, ...results] = await this.#db.transaction([
          change.required('lease'),
          ...statements,
        ] as const)
        return results as ResultsOf<Statements>
      } catch (error) {
        if (error instanceof RequirementUnmet && error.requirement === 'lease') break
        if (!isStoreUnavailable(error)) throw error
        await pause(askedAgainAfterMs)
      }
    } while (!this.signal.aborted)
    this.#watch.onFenced()
    return undefined
  }
}

const askedAgainAfterMs = 250

/** The entry may belong to another process by now. */
export class LeaseLost extends Error {
  constructor() {
    super('The lease was lost.')
    this.name = 'LeaseLost'
  }
}
