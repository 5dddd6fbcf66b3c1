/**
 * Everything that outlives a process. A table's file (`storage/<table>-table.ts`) exports functions that
 * return statements; a use case runs one with `run` or several that must hold together with
 * `transaction`. One SQL text serves both stores. A promise resolves only after the commit.
 * This folder knows tables and rows, never why they change.
 */
import type { Statement } from './statement.ts'

export interface Database extends AsyncDisposable {
  /** For people to read; what depends on the store asks what it can do. */
  readonly kind: 'sqlite' | 'postgres'

  /** Whether other processes may claim and finish work of the same store. */
  readonly isShared: boolean

  /** The store's clock: its time once measured, carried on by the monotonic clock, never going back. */
  nowMs(): number

  /** How far the store's clock is ahead of this process's wall clock. */
  clockOffsetMs(): number

  /** Runs one statement as a transaction of its own. */
  run<Result>(statement: Statement<Result>, limits?: CallLimits): Promise<Result[]>

  /**
   * Runs all of them or none; the answer has the rows of each, in order. There is no way to look at
   * a row and then decide inside a transaction: write the decision as SQL and mark it `required`.
   */
  transaction<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
    limits?: CallLimits,
  ): Promise<ResultsOf<Statements>>

  /**
   * Calls back for every `notify` on the channel that was committed by any process, and never where the
   * store is not shared. A notice may be lost when a connection breaks; it is a hint, never a fact.
   */
  listen(channel: string, onNotice: (payload: string) => void): Subscription

  /** Resolves when the store answers; a `STORE_UNAVAILABLE` failure otherwise, within a second. */
  ping(): Promise<void>

  statistics(): StoreStatistics

  /** For how long the call that has waited longest for its turn has been waiting; 0 when none is. */
  longestWaitMs(): number
}

export interface CallLimits {
  /** After this long without an answer the call fails; whether it took effect is then unknown. */
  readonly deadlineMs?: number | undefined
}

export interface Subscription extends Disposable {
  /** Resolves once notices reach the listener: look at the row after this, not before. */
  readonly whenActive: Promise<void>
}

/** Counted since the store was opened. Callers who shared a commit count as one. */
export interface StoreStatistics {
  readonly commits: number
  readonly statements: number
}

export type ResultsOf<Statements extends readonly Statement<unknown>[]> = {
  -readonly [Index in keyof Statements]: Statements[Index] extends Statement<infer Result>
    ? Result[]
    : never
}

/** Unless a call says otherwise, the store has this long to answer it. */
export const callDeadlineMsDefault = 15_000

/** `ping` asks whether the store answers now, so it waits no longer than a health check does. */
export const pingDeadlineMs = 1_000
