export type ConstraintKind = 'unique' | 'foreign-key' | 'check' | 'not-null'

/** The store refused a row; nothing of its transaction was kept. The same error from both stores. */
export class ConstraintViolated extends Error {
  readonly kind: ConstraintKind

  constructor(kind: ConstraintKind, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ConstraintViolated'
    this.kind = kind
  }
}
