import type { ConstraintKind } from '../constraint-violated.ts'
import type { SqlValue } from '../statement.ts'

export interface SqliteThreadOptions {
  readonly file: string
  /** What `fileIdentity` said when the store was opened; another file in its place is not used. */
  readonly identity: string | undefined
  readonly busyTimeoutMs: number
  /** It reads only, beside the connection that writes. */
  readonly isReader: boolean
}

/** Calls of one turn of the event loop: one message to the database thread. */
export interface Batch {
  readonly number: number
  /** Texts that the calls of this batch use and the thread does not know yet. */
  readonly newTexts: readonly (readonly [number: number, sql: string])[]
  readonly calls: readonly Call[]
  /** It is one call that writes many rows; those of other batches come first. */
  readonly isBulk: boolean
  /** By the monotonic clock of the process. After this the callers have timed out. */
  readonly expiresAtNs: bigint
}

/** The steps of one transaction. */
export type Call = readonly SqlStep[]

export interface SqlStep {
  /** The number of a text that is kept prepared, or a text that is not. */
  readonly text: number | string
  readonly values: readonly SqlValue[]
  readonly isRequired: boolean
  readonly isScript: boolean
}

/** The responses to the batches that shared one commit: one message back. */
export interface GroupResponse {
  readonly batches: readonly (readonly [number: number, responses: readonly CallResponse[]])[]
  readonly commits: number
  readonly statements: number
}

export type CallResponse = readonly StepRows[] | CallError

/** Rows as arrays, with the column names once: half the cost of objects when passed between threads. */
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
      readonly isFileLost?: boolean
    }
  | { readonly problem: 'defect'; readonly message: string }
