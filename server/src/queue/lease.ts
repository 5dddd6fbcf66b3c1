import type { Lane } from '../domain/task/lane.ts'
import type { Statement } from '../storage/statement.ts'
import type { ClaimedEntry } from '../storage/tables/queue-entries.ts'

/** The exclusive right to work on one entry for a while, and the duty to settle it. */
export interface Lease extends Omit<ClaimedEntry, 'fence' | 'isCallerSilent'> {
  /** Aborted once another process may hold the entry: stop, and write nothing. */
  readonly signal: AbortSignal

  /** Releases the slot of its concurrency key early: the rest of the work does not use the resource. */
  releaseKey(): void

  /**
   * Makes the call again for as long as the store is unavailable and the lease may hold: what was done
   * is not done again because what follows needs the store. Throws `LeaseLost` in the end.
   */
  throughOutages<Result>(call: () => Promise<Result>): Promise<Result>

  /** Writes what must be known before the work goes on. As the next three: false if the lease was lost. */
  record(statements: readonly Statement<unknown>[]): Promise<boolean>

  /** Writes the outcome and removes the entry in one transaction. */
  settle(statements: readonly Statement<unknown>[]): Promise<boolean>

  /** The same, but schedules the entry for a retry at that time. */
  postpone(dueAtMs: number, statements: readonly Statement<unknown>[]): Promise<boolean>

  /**
   * The same, but the work continues at once in another lane, under that lane's concurrency key. Work
   * that was not begun here starts there.
   */
  move(to: OtherLane, statements: readonly Statement<unknown>[]): Promise<boolean>
}

/** Where work continues. */
export interface OtherLane {
  lane: Lane
  concurrencyKey: string | undefined
  isStarted: boolean
}

/** Identifies one lease: the same entry claimed again has another fence number. */
export const leaseKey = ({ id, fence }: { id: string; fence: number }): string => `${fence} ${id}`
