import type { ResultsOf } from '../storage/database.ts'
import type { ClaimedEntry } from '../storage/queue-entries-table.ts'
import type { Statement } from '../storage/statement.ts'

/** The right to work on one entry, and the duty to settle it. */
export interface Lease extends Omit<ClaimedEntry, 'fence'> {
  /** Aborted once the entry may belong to someone else: stop, and write nothing. */
  readonly signal: AbortSignal

  /** Frees the slot of its concurrency key before the outcome is written: the rest concerns only us. */
  releaseKey(): void

  /** Writes the outcome and removes the entry, together or not at all. */
  settle<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
  ): Promise<Settled<Statements>>

  /** The same, but the entry comes again at that time. */
  postpone<const Statements extends readonly Statement<unknown>[]>(
    dueAtMs: number,
    statements: Statements,
  ): Promise<Settled<Statements>>
}

/** The rows of each statement; undefined when the lease was lost and nothing was written. */
export type Settled<Statements extends readonly Statement<unknown>[]> =
  | ResultsOf<Statements>
  | undefined

/** Tells one holding of an entry from any other of the same entry. */
export const holdingKey = ({ id, fence }: { id: string; fence: number }): string => `${fence} ${id}`
