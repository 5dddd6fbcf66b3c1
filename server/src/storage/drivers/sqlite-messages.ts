import type { ConstraintKind } from '../constraint-violated.ts'
import type { SqlValue } from '../statement.ts'

/** What the database thread is started with. */
export interface SqliteThreadOptions {
  readonly file: string
  readonly busyTimeoutMs: number
}

/** What one turn of the event loop asked of the store: one message to the database thread. */
export interface Batch {
  readonly number: number
  /** Texts that the calls of this batch use and the thread has not seen. */
  readonly newTexts: readonly (readonly [number: number, sql: string])[]
  readonly calls: readonly Call[]
  /** By the monotonic clock of the process. Nobody waits for the answer any more after this. */
  readonly expiresAtNs: bigint
}

/** What one caller wants done, all or nothing. */
export type Call = readonly SqlStep[]

export interface SqlStep {
  /** A number names a text that is kept prepared, a string is one that is not. */
  readonly text: number | string
  readonly values: readonly SqlValue[]
  readonly isRequired: boolean
  readonly isScript: boolean
}

/** The answers to the batches that shared one commit: one message back. */
export interface GroupAnswer {
  readonly batches: readonly (readonly [number: number, answers: readonly CallAnswer[]])[]
  readonly commits: number
  readonly statements: number
}

export type CallAnswer = readonly StepRows[] | CallError

/** Rows as arrays with the names once: half the cost of objects on the way between threads. */
export interface StepRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SqlValue[])[]
}

export type CallError =
  | { readonly problem: 'requirement'; readonly step: number }
  | { readonly problem: 'constraint'; readonly kind: ConstraintKind; readonly message: string }
  | {
      readonly problem: 'unavailable'
      readonly message: string
      readonly isRefusal: boolean
      readonly isFull?: boolean
    }
  | { readonly problem: 'defect'; readonly message: string }
