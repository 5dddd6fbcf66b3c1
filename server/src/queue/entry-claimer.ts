import type { Lane } from '../domain/task/lane.ts'
import type { Database } from '../storage/database.ts'
import { findReady } from '../storage/queries/queue.ts'
import {
  type ClaimedEntry,
  type ClaimLimit,
  claimEntries,
  claimEntriesWithin,
  type LeaseTerms,
  lockConcurrencyKey,
  type SilenceTerms,
} from '../storage/tables/queue-entries.ts'
import type { ConcurrencyLimits, KeyUser } from './concurrency-limits.ts'
import type { FlowClaim } from './fair-flows.ts'

interface ClaimerParts {
  db: Database
  leasedBy: string
  leaseMs: number
  silence(): SilenceTerms
}

// The lease keeper releases the entries of a claim whose response never came.
const claimMsMax = 5_000

/** Claims entries of one lane for this process, within the limits that all processes share. */
export class EntryClaimer {
  readonly #lane: Lane
  readonly #parts: ClaimerParts
  readonly #limits: ConcurrencyLimits

  constructor(lane: Lane, parts: ClaimerParts, limits: ConcurrencyLimits) {
    this.#lane = lane
    this.#parts = parts
    this.#limits = limits
  }

  /** The claimed entries, and an entry of the flow that is still ready, if there is one. */
  claim({ flow, count }: FlowClaim): Promise<[ClaimedEntry[], { id: string }[]]> {
    const { db, silence } = this.#parts
    const terms = [this.leaseTerms(), silence()] as const
    const wanted = { lane: this.#lane, flow: flow.name, entriesMax: count }
    const more = findReady(this.#lane, flow.name)
    const limits = { deadlineMs: claimMsMax }
    const limit = this.globalLimit(flow)
    if (limit === undefined) {
      return db.transaction([claimEntries(wanted, ...terms), more] as const, limits)
    }
    const claim = claimEntriesWithin(wanted, limit, ...terms)
    return db
      .transaction([lockConcurrencyKey(limit.concurrencyKey), claim, more] as const, limits)
      .then(([, ...results]) => results)
  }

  /** The limit of a key whose entries other processes may hold too; undefined for local limits. */
  globalLimit(user: KeyUser): ClaimLimit | undefined {
    const { concurrencyKey, accountId } = user
    if (concurrencyKey === undefined || !this.#parts.db.isShared) return undefined
    const { max, accountMax, isGlobal } = this.#limits.of(user)
    return isGlobal ? { concurrencyKey, accountId, max, accountMax } : undefined
  }

  /** The terms of a lease that begins now. */
  leaseTerms(): LeaseTerms {
    const { db, leasedBy, leaseMs } = this.#parts
    const nowMs = db.nowMs()
    return { leasedBy, leasedUntilMs: nowMs + leaseMs, nowMs }
  }
}
