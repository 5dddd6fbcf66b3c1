import { setTimeout as pause } from 'node:timers/promises'
import { readFlow, withKey } from '../domain/task/flow.ts'
import type { Database } from '../storage/database.ts'
import { isStoreUnavailable } from '../storage/outages/store-unavailable.ts'
import { RequirementUnmet, type Statement } from '../storage/statement.ts'
import {
  type ClaimedEntry,
  lockEntry,
  moveEntry,
  postponeEntry,
  type ReturnedEntry,
  releaseLease,
  removeEntry,
} from '../storage/tables/queue-entries.ts'
import type { ConcurrencyLimits } from './concurrency-limits.ts'
import { type Lease, leaseKey, type OtherLane } from './lease.ts'
import type { PendingEntries } from './pending-entries.ts'

/** What is to be written of work that was begun before it was in the store. */
export interface UnwrittenWork {
  work: PendingEntries
  /** Inserts the entry, leased by this process. */
  entry(): Statement<never>
}

interface HeldEntryParts {
  db: Database
  leasedBy: string
  isCommitted: boolean
  /** Set until the first write, for work that was begun before it was in the store. */
  unwritten?: UnwrittenWork
  onFirstWriteFailed(): void
  /** A write was fenced off: another process holds the entry now. */
  onFenced(): void
  onPostponed(dueAtMs: number): void
  /** The entry is ready in another lane. */
  onMoved(entry: ReturnedEntry): void
  /** The store counts leases towards the key's limit, so the key is free only when the lease ends. */
  isKeyCountedInStore: boolean
  limits: ConcurrencyLimits
  onKeyReleased(concurrencyKey: string): void
}

/** An entry that this process holds. Its fence number (fencing token) guards every write. */
export class HeldEntry implements Lease {
  readonly id: string
  readonly key: string
  readonly workId: string
  readonly accountId: string
  readonly flow: string
  readonly concurrencyKey: string | undefined
  readonly crashes: number
  /** A process died with it, so it takes one of the slots that suspects may have. */
  readonly isSuspect: boolean
  readonly startedAtMs: number
  /** False until the transaction that inserted the entry as leased is committed. */
  isCommitted: boolean
  /** Heartbeats since it was claimed, or its lease renewed. */
  missedHeartbeats = 0
  readonly #parts: HeldEntryParts
  readonly #fencedEntry: { id: string; fence: number; leasedBy: string }
  readonly #controller = new AbortController()
  #keyUse: 'claimed' | 'waiting' | 'running' | 'released' = 'claimed'
  #unwritten: UnwrittenWork | undefined
  #firstWrite: Promise<boolean> | undefined

  constructor(entry: ClaimedEntry, parts: HeldEntryParts) {
    this.id = entry.id
    this.key = leaseKey(entry)
    this.workId = entry.workId
    this.accountId = entry.accountId
    this.flow = entry.flow
    this.concurrencyKey = entry.concurrencyKey
    this.crashes = entry.crashes
    this.isSuspect = readFlow(entry.flow).suspicion === 'once'
    this.startedAtMs = entry.startedAtMs
    this.isCommitted = parts.isCommitted
    this.#parts = parts
    this.#unwritten = parts.unwritten
    this.#fencedEntry = { id: entry.id, fence: entry.fence, leasedBy: parts.leasedBy }
  }

  /** Whether it was prefetched and waits for a slot of its concurrency key. */
  get isWaiting(): boolean {
    return this.#keyUse === 'waiting'
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Resolves with true once it has a slot of its concurrency key, with false if the lease was lost. */
  async acquireKey(): Promise<boolean> {
    if (this.concurrencyKey === undefined) return true
    this.#keyUse = 'waiting'
    return this.#parts.limits.acquire(this, this.signal, () => {
      this.#keyUse = 'running'
    })
  }

  releaseKey(): void {
    if (!this.#parts.isKeyCountedInStore) this.leaveKey()
  }

  leaveKey(): void {
    const { concurrencyKey } = this
    if (concurrencyKey === undefined || this.#keyUse === 'released') return
    const { limits, onKeyReleased } = this.#parts
    if (this.#keyUse === 'running') limits.release(this)
    limits.unclaim(this)
    this.#keyUse = 'released'
    onKeyReleased(concurrencyKey)
  }

  /** Whether no other process can know of the work yet. */
  get isUnwritten(): boolean {
    return this.#unwritten !== undefined
  }

  /** Writes work that was begun before it was in the store, so that all processes know of it. */
  async write(): Promise<void> {
    if (this.#firstWrite === undefined && this.#unwritten) {
      void this.#writeFirst([...this.#unwritten.work.statements, this.#unwritten.entry()])
    }
    await this.#firstWrite
  }

  /** It is held no more. What was not written by now never will be. */
  async close(): Promise<void> {
    this.leaveKey()
    await this.#firstWrite?.catch(() => undefined)
    this.#unwritten?.work.withdrawn()
    this.#unwritten = undefined
  }

  lose(): void {
    this.#controller.abort(new LeaseLost())
  }

  release(): Statement<unknown> {
    return releaseLease(this.#fencedEntry)
  }

  record(statements: readonly Statement<unknown>[]): Promise<boolean> {
    return this.#write(lockEntry(this.#fencedEntry), statements)
  }

  settle(statements: readonly Statement<unknown>[]): Promise<boolean> {
    return this.#write(removeEntry(this.#fencedEntry), statements, { isEnd: true })
  }

  async postpone(dueAtMs: number, statements: readonly Statement<unknown>[]): Promise<boolean> {
    const isWritten = await this.#write(postponeEntry(this.#fencedEntry, dueAtMs), statements)
    if (isWritten) this.#parts.onPostponed(dueAtMs)
    return isWritten
  }

  async move(to: OtherLane, statements: readonly Statement<unknown>[]): Promise<boolean> {
    const moved = { ...to, flow: withKey(this.flow, to.concurrencyKey) }
    const isWritten = await this.#write(moveEntry(this.#fencedEntry, moved), statements)
    if (isWritten) this.#parts.onMoved(moved)
    return isWritten
  }

  /** Tries for a second more where the lease may be lost, as an outage may have just ended. */
  async throughOutages<Result>(call: () => Promise<Result>): Promise<Result> {
    let triesLeft = triesAfterLoss
    do {
      try {
        return await call()
      } catch (error) {
        if (!isStoreUnavailable(error)) throw error
        await pause(retryAfterMs)
      }
    } while (!this.signal.aborted || triesLeft-- > 0)
    throw new LeaseLost()
  }

  /** If another process holds the entry, the fence number rejects the write. */
  async #write(
    change: Statement<unknown>,
    statements: readonly Statement<unknown>[],
    { isEnd = false } = {},
  ): Promise<boolean> {
    const fenced = [change.required('lease'), ...statements]
    try {
      await this.throughOutages(async () => {
        while (this.#firstWrite !== undefined) await this.#firstWrite.catch(() => undefined)
        if (this.#unwritten) {
          const { work, entry } = this.#unwritten
          // Work that ends with its first write needs no entry.
          const rest = isEnd ? statements : [entry(), ...fenced]
          if (await this.#writeFirst([...work.statements, ...rest])) return
        }
        await this.#parts.db.transaction(fenced)
      })
      return true
    } catch (error) {
      if (!(error instanceof LeaseLost || isFencedOff(error))) throw error
      this.#parts.onFenced()
      return false
    }
  }

  /** Resolves with false if the work is in the store already: the answer to an earlier write was lost. */
  #writeFirst(statements: readonly Statement<unknown>[]): Promise<boolean> {
    const writing = this.#parts.db.transaction(statements).then(
      () => true,
      (error) => {
        if (isFencedOff(error)) return false
        if (isStoreUnavailable(error)) this.#parts.onFirstWriteFailed()
        throw error
      },
    )
    this.#firstWrite = writing
      .then((isNew) => {
        this.isCommitted = true
        this.#unwritten?.work.committed()
        this.#unwritten = undefined
        return isNew
      })
      .finally(() => {
        this.#firstWrite = undefined
      })
    return this.#firstWrite
  }
}

const isFencedOff = (error: unknown): boolean =>
  error instanceof RequirementUnmet && error.requirement === 'lease'

const retryAfterMs = 250
const triesAfterLoss = 4

/** Another process may hold the entry now. */
export class LeaseLost extends Error {
  constructor() {
    super('The lease was lost.')
    this.name = 'LeaseLost'
  }
}
