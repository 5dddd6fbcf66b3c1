export type ConstraintKind = 'unique' | 'foreign-key' | 'check' | 'not-null'

/** The store refused a row, and the transaction was rolled back. Both drivers throw this error. */
export class ConstraintViolated extends Error {
  readonly kind: ConstraintKind

  constructor(kind: ConstraintKind, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ConstraintViolated'
    this.kind = kind
  }
}
