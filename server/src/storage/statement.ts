import assert from 'node:assert/strict'

export type SqlValue = string | number | null | Uint8Array

/** SQL that differs between SQLite and PostgreSQL; each driver has a text for every name. */
export type DialectFragment =
  | 'skipLocked'
  | 'forUpdate'
  | 'forNoKeyUpdate'
  | 'migrationLock'
  | 'storeBytes'
  | 'jsonElements'

export type Slot = SqlValue | DialectSlot | Statement<unknown>

/**
 * One SQL statement with its values, not yet run. It is written with the `sql` tag, which turns every
 * value into a parameter and so prevents SQL injection. A statement used as a value is nested as text.
 */
export class Statement<Result> {
  readonly strings: readonly string[]
  readonly slots: readonly Slot[]
  readonly toResult: ((row: never) => Result) | undefined = undefined
  readonly requirement: string | undefined = undefined
  readonly isNotice: boolean = false
  readonly isScript: boolean = false
  readonly isQuick: boolean = false
  readonly isSlow: boolean = false
  readonly isBulk: boolean = false
  readonly turnOf: string | undefined = undefined
  readonly contended: string | undefined = undefined

  constructor({ strings, slots, ...marks }: StatementParts<Result>) {
    this.strings = strings
    this.slots = slots
    Object.assign(this, marks)
  }

  /** Maps each row; runs in the caller's thread, not in the database thread. */
  map<Row, Mapped>(this: Statement<Row>, toResult: (row: Row) => Mapped): Statement<Mapped> {
    const earlier = this.toResult as ((row: never) => Row) | undefined
    const both = earlier ? (row: never) => toResult(earlier(row)) : toResult
    return new Statement<Mapped>({ ...this, toResult: both as (row: never) => Mapped })
  }

  /**
   * Marks a read of a few rows by an index, without blobs. SQLite runs it at once on the event loop
   * instead of in the database thread, and caches its results until the next commit. The mapped
   * result must therefore depend on the row alone.
   */
  quick(): Statement<Result> {
    return new Statement<Result>({ ...this, isQuick: true })
  }

  /**
   * Marks a read that may look at many rows, such as a page of a list. SQLite runs it in a thread and on a
   * connection of their own, so that nothing else waits for it; its rows are mapped in turns of the event loop.
   */
  slow(): Statement<Result> {
    return new Statement<Result>({ ...this, isSlow: true })
  }

  /**
   * Marks a write of up to a thousand rows. SQLite has one writer: its transaction is a commit of its own, and
   * calls that wait with it come first.
   */
  bulk(): Statement<Result> {
    return new Statement<Result>({ ...this, isBulk: true })
  }

  /**
   * Marks a write that waits for other writes of its account. A process has one transaction with such a
   * write at the store for each account: the others wait before they take a connection from everybody else.
   */
  inTurnOf(accountId: string): Statement<Result> {
    return new Statement<Result>({ ...this, turnOf: accountId })
  }

  /**
   * Marks a write of a row that many writes wait for (lock contention), such as the counts of a job. On
   * PostgreSQL each holds a connection while it waits, so a process has a few of them at once for each name.
   */
  contendedAs(name: string): Statement<Result> {
    return new Statement<Result>({ ...this, contended: name })
  }

  /** Rolls back the whole transaction with `RequirementUnmet(requirement)` if it returns no row. */
  required(requirement: string): Statement<Result> {
    return new Statement<Result>({ ...this, requirement })
  }
}

type StatementParts<Result> = Pick<Statement<Result>, 'strings' | 'slots'> &
  Partial<Statement<Result>>

export class DialectSlot {
  readonly fragment: DialectFragment

  constructor(fragment: DialectFragment) {
    this.fragment = fragment
  }
}

/** `for update skip locked` on PostgreSQL; empty on SQLite, which has one writer at a time. */
export const skipLocked = new DialectSlot('skipLocked')
/** `for update` on PostgreSQL; empty on SQLite. */
export const forUpdate = new DialectSlot('forUpdate')
/** The same for a row that others refer to: what is inserted with a reference to it does not wait. */
export const forNoKeyUpdate = new DialectSlot('forNoKeyUpdate')

/** A table function: the elements of a JSON array, each as a `value`. One parameter holds many rows. */
export const jsonElements = new DialectSlot('jsonElements')

export function sql<Row>(strings: TemplateStringsArray, ...slots: Slot[]): Statement<Row> {
  return new Statement<Row>({ strings, slots })
}

/** For a statement that returns one column: the result of a row is its value. */
export const sqlValue = <Value>(strings: TemplateStringsArray, ...slots: Slot[]) =>
  sql<Record<string, Value>>(strings, ...slots).map(onlyValue)

const onlyValue = <Value>(row: Record<string, Value>): Value => Object.values(row)[0] as Value

/** Several parts with commas between them, such as the rows of an insert. */
export const commaSeparated = (parts: readonly Slot[]): Statement<unknown> =>
  new Statement({ strings: ['', ...parts.slice(1).map(() => ', '), ''], slots: parts })

// The limit of PostgreSQL.
const noticePayloadBytesMax = 7_999

/**
 * Notifies the listeners of the channel in every process once the transaction is committed. It does
 * nothing on a store that is not shared, since there are no other processes.
 */
export function notify(channel: string, payload: string): Statement<never> {
  assertChannel(channel)
  assert(
    Buffer.byteLength(payload) <= noticePayloadBytesMax,
    'A notification is at most 7,999 bytes.',
  )
  const statement = sql`select pg_notify(${channel}, ${payload})`
  return new Statement<never>({ ...statement, toResult: undefined, isNotice: true })
}

export function assertChannel(channel: string): void {
  assert.match(channel, /^[a-z][a-z_]{0,50}$/, 'A channel is a short lower-case name.')
}

/** Several statements without values as one text, for migrations. */
export function script(text: string): Statement<never> {
  return new Statement<never>({ strings: [text], slots: [], isScript: true })
}

/** A statement marked `required` returned no row, so its transaction was rolled back. */
export class RequirementUnmet extends Error {
  readonly requirement: string

  constructor(requirement: string) {
    super(`Requirement not met: ${requirement}.`)
    this.name = 'RequirementUnmet'
    this.requirement = requirement
  }
}

/** Whether a transaction was committed; false if a requirement was not met, so that it wrote nothing. */
export async function isCommitted(writing: Promise<unknown>): Promise<boolean> {
  try {
    await writing
    return true
  } catch (error) {
    if (error instanceof RequirementUnmet) return false
    throw error
  }
}
