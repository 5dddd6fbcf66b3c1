import { setTimeout as pause } from 'node:timers/promises'
import type { Database, ResultsOf } from '../storage/database.ts'
import {
  type ClaimedEntry,
  postponeEntry,
  releaseLease,
  removeEntry,
} from '../storage/queue-entries-table.ts'
import { RequirementUnmet, type Statement } from '../storage/statement.ts'
import { isStoreUnavailable } from '../storage/store-unavailable.ts'
import type { ConcurrencyLimits } from './concurrency-limits.ts'
import { holdingKey, type Lease, type Settled } from './lease.ts'

interface HeldEntryParts {
  db: Database
  leasedBy: string
  isCommitted: boolean
  /** A write came too late: the entry belongs to someone else. */
  onFenced(): void
  onPostponed(dueAtMs: number): void
  /** The store counts what is leased, so the key is free only with the lease. */
  isKeyCountedInStore: boolean
  limits: ConcurrencyLimits
  onKeyReleased(concurrencyKey: string): void
}

/** An entry that this process holds. */
export class HeldEntry implements Lease {
  readonly id: string
  readonly key: string
  readonly workId: string
  readonly accountId: string
  readonly flow: string
  readonly concurrencyKey: string | undefined
  readonly crashes: number
  readonly startedAtMs: number
  /** False until the transaction that wrote the entry as held is known to be done. */
  isCommitted: boolean
  readonly #parts: HeldEntryParts
  readonly #holder: { id: string; fence: number; leasedBy: string }
  readonly #controller = new AbortController()
  #keyUse: 'claimed' | 'waiting' | 'running' | 'released' = 'claimed'

  constructor(entry: ClaimedEntry, parts: HeldEntryParts) {
    this.id = entry.id
    this.key = holdingKey(entry)
    this.workId = entry.workId
    this.accountId = entry.accountId
    this.flow = entry.flow
    this.concurrencyKey = entry.concurrencyKey
    this.crashes = entry.crashes
    this.startedAtMs = entry.startedAtMs
    this.isCommitted = parts.isCommitted
    this.#parts = parts
    this.#holder = { id: entry.id, fence: entry.fence, leasedBy: parts.leasedBy }
  }

  /** It was prefetched, and no slot of its concurrency key is free yet. */
  get isWaiting(): boolean {
    return this.#keyUse === 'waiting'
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Resolves once a slot of its concurrency key is free; false if the lease was lost before. */
  async acquireKey(): Promise<boolean> {
    const { concurrencyKey } = this
    if (concurrencyKey === undefined) return true
    this.#keyUse = 'waiting'
    if (!(await this.#parts.limits.acquire(concurrencyKey, this.signal))) return false
    this.#keyUse = 'running'
    return true
  }

  releaseKey(): void {
    if (!this.#parts.isKeyCountedInStore) this.leaveKey()
  }

  leaveKey(): void {
    const { concurrencyKey } = this
    if (concurrencyKey === undefined || this.#keyUse === 'released') return
    const { limits, onKeyReleased } = this.#parts
    if (this.#keyUse === 'running') limits.release(concurrencyKey)
    limits.unclaim(concurrencyKey)
    this.#keyUse = 'released'
    onKeyReleased(concurrencyKey)
  }

  lose(): void {
    this.#controller.abort(new LeaseLost())
  }

  release(): Statement<unknown> {
    return releaseLease(this.#holder)
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
    if (written) this.#parts.onPostponed(dueAtMs)
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
        const [, ...results] = await this.#parts.db.transaction([
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
    this.#parts.onFenced()
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
