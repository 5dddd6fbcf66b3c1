/**
 * The interface of the store. A table's file (`storage/tables/<table>.ts`) exports functions that return
 * statements; a use case runs one with `run`, or several atomically with `transaction`. One SQL text
 * serves SQLite and PostgreSQL. A promise resolves only after the commit. This folder knows tables and
 * rows; why they change is decided by its callers.
 */
import type { Failure } from '../domain/failure.ts'
import type { Statement } from './statement.ts'

export interface Database extends Driver {
  /** Health check: resolves if the store responds within a second, otherwise `STORE_UNAVAILABLE`. */
  ping(): Promise<void>
}

/** What a kind of store has to provide. */
export interface Driver extends AsyncDisposable {
  /** For logs and reports. Code that depends on a capability reads that, such as `isShared`. */
  readonly kind: 'sqlite' | 'postgres'

  /** Whether other processes may claim and finish work of the same store. */
  readonly isShared: boolean

  /** The store's time: measured now and then, advanced by the monotonic clock, never going back. */
  nowMs(): number

  /** How long ago that was, without what the store's clock has leapt over while this process ran. */
  elapsedMs(sinceMs: number): number

  /** How far the store's clock is ahead of this process's wall clock. */
  clockOffsetMs(): number

  /** Runs one statement as a transaction of its own. */
  run<Result>(statement: Statement<Result>, limits?: CallLimits): Promise<Result[]>

  /**
   * Runs all of them or none, and returns the rows of each, in order. A transaction cannot read a row
   * and decide in TypeScript: write the decision as SQL and mark the statement `required`.
   */
  transaction<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
    limits?: CallLimits,
  ): Promise<ResultsOf<Statements>>

  /**
   * Calls back for every `notify` that any process committed on the channel; never on a store that is
   * not shared. Notifications get lost when a connection breaks, so a listener must also poll.
   */
  listen(channel: string, onNotice: (payload: string) => void): Subscription

  /** Why the store is not used until somebody acts, such as a deleted file; undefined while it is used. */
  refusal(): Failure | undefined

  statistics(): StoreStatistics

  /** How long the oldest waiting call has been waiting; 0 if none waits. Used for backpressure. */
  longestWaitMs(): number
}

export interface CallLimits {
  /** After this long without a response the call fails; whether it took effect is then unknown. */
  readonly deadlineMs?: number | undefined
}

export interface Subscription extends Disposable {
  /** Resolves once notifications reach the listener: read the row after this, not before. */
  readonly whenActive: Promise<void>
}

/** Counted since the store was opened. Calls that shared a commit count as one commit. */
export interface StoreStatistics {
  readonly commits: number
  readonly statements: number
}

export type ResultsOf<Statements extends readonly Statement<unknown>[]> = {
  -readonly [Index in keyof Statements]: Statements[Index] extends Statement<infer Result>
    ? Result[]
    : never
}

export const callDeadlineMsDefault = 15_000

/** Shorter than the timeout of a health check. */
export const pingDeadlineMs = 1_000
