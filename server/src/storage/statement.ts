import assert from 'node:assert/strict'

export type SqlValue = string | number | null | Uint8Array

/** SQL that differs between the stores; each driver has its own text for every name. */
export type DialectFragment = 'skipLocked' | 'forUpdate' | 'migrationLock'

export type Slot = SqlValue | DialectSlot | Statement<unknown>

interface StatementParts<Result> {
  readonly strings: readonly string[]
  readonly slots: readonly Slot[]
  readonly toResult?: ((row: never) => Result) | undefined
  readonly requirement?: string | undefined
  readonly isNotice?: boolean | undefined
  readonly isScript?: boolean | undefined
  readonly isQuick?: boolean | undefined
}

/**
 * One SQL statement with its values, not yet run. It is written with the `sql` tag, so that a value
 * can only ever become a parameter. A statement used as a value of another becomes part of its text.
 */
export class Statement<Result> {
  readonly strings: readonly string[]
  readonly slots: readonly Slot[]
  readonly toResult: ((row: never) => Result) | undefined
  readonly requirement: string | undefined
  readonly isNotice: boolean
  readonly isScript: boolean
  readonly isQuick: boolean

  constructor(parts: StatementParts<Result>) {
    this.strings = parts.strings
    this.slots = parts.slots
    this.toResult = parts.toResult
    this.requirement = parts.requirement
    this.isNotice = parts.isNotice ?? false
    this.isScript = parts.isScript ?? false
    this.isQuick = parts.isQuick ?? false
  }

  /** Turns each row into what callers see; runs on the caller's side, never in the store. */
  map<Row, Mapped>(this: Statement<Row>, toResult: (row: Row) => Mapped): Statement<Mapped> {
    const earlier = this.toResult as ((row: never) => Row) | undefined
    const both = earlier ? (row: never) => toResult(earlier(row)) : toResult
    return new Statement<Mapped>({ ...this, toResult: both as (row: never) => Mapped })
  }

  /**
   * Says that this only reads, and that an index answers it in a few rows without blobs. Where the
   * store is a file, such a read is done at once instead of being sent to the database thread, and
   * its results, which must depend on the row alone, are remembered until the next commit.
   */
  quick(): Statement<Result> {
    return new Statement<Result>({ ...this, isQuick: true })
  }

  /** Undoes the whole transaction with `RequirementUnmet(requirement)` when no row comes back. */
  required(requirement: string): Statement<Result> {
    return new Statement<Result>({ ...this, requirement })
  }
}

export class DialectSlot {
  readonly fragment: DialectFragment

  constructor(fragment: DialectFragment) {
    this.fragment = fragment
  }
}

/** `for update skip locked` where rows can be locked; nothing where there is one writer anyway. */
export const skipLocked = new DialectSlot('skipLocked')
/** `for update` where rows can be locked. */
export const forUpdate = new DialectSlot('forUpdate')

export function sql<Row>(strings: TemplateStringsArray, ...slots: Slot[]): Statement<Row> {
  return new Statement<Row>({ strings, slots })
}

// PostgreSQL refuses a longer payload; an id or two is all a notice should carry.
const noticePayloadBytesMax = 7_999

/**
 * Notifies the listeners of the channel, in every process, once the commit is done. On a store that is not
 * shared it does nothing: there are no other processes, and this one knows what it has done.
 */
export function notify(channel: string, payload: string): Statement<never> {
  assertChannel(channel)
  assert(Buffer.byteLength(payload) <= noticePayloadBytesMax, 'A notice is at most 7,999 bytes.')
  const statement = sql`select pg_notify(${channel}, ${payload})`
  return new Statement<never>({ ...statement, toResult: undefined, isNotice: true })
}

export function assertChannel(channel: string): void {
  assert.match(channel, /^[a-z][a-z_]{0,50}$/, 'A channel is a short lower-case name.')
}

/** Several statements without values as one text: for migrations and settings of the store. */
export function script(text: string): Statement<never> {
  return new Statement<never>({ strings: [text], slots: [], isScript: true })
}

/** A statement marked `required` gave no row, so nothing of its transaction was kept. */
export class RequirementUnmet extends Error {
  readonly requirement: string

  constructor(requirement: string) {
    super(`Requirement not met: ${requirement}.`)
    this.name = 'RequirementUnmet'
    this.requirement = requirement
  }
}
