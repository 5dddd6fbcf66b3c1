import { runPrepared } from './run-prepared.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { isFull, toCallError } from './sqlite-errors.ts'
import type { Call, CallError, CallResponse, SqlStep, StepRows } from './sqlite-messages.ts'

export interface StepText {
  readonly sql: string
  /** It needs no write lock. */
  readonly isRead: boolean
  /** It stays prepared for later calls. */
  readonly isKept: boolean
}

export interface GroupResult {
  readonly responses: readonly CallResponse[]
  readonly commits: number
  /** The errors as SQLite threw them: the thread decides whether the connection is still usable. */
  readonly errors: readonly unknown[]
}

/**
 * Group commit: runs the calls of many callers and commits once. An error rolls back only its own call,
 * to a savepoint. If SQLite rolls back everything or the commit fails, everyone who wrote gets the error,
 * and reads run again; so no constraint of the schema may be deferred to the commit.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection
  readonly #textOf: (step: SqlStep) => StepText
  readonly #responses: CallResponse[] = []
  // By the index of their responses.
  readonly #reads = new Map<number, () => CallResponse>()
  readonly #errors: unknown[] = []
  #commits = 0
  // The index of the first response that holds only if the open transaction commits.
  #uncommittedFrom: number | undefined
  // Set once the wait for the write lock has timed out; the rest of the group fails without waiting.
  #noLock: CallError | undefined

  constructor(connection: SqliteConnection, textOf: (step: SqlStep) => StepText) {
    this.#connection = connection
    this.#textOf = textOf
  }

  add(call: Call): void {
    try {
      const texts = call.map(this.#textOf)
      const isWrite = texts.some(({ isRead }) => !isRead)
      const run = () => this.#runCall(call, texts, isWrite)
      if (!isWrite) this.#reads.set(this.#responses.length, run)
      const noLock = isWrite ? this.#takeWriteLock() : undefined
      this.#responses.push(noLock ?? run())
    } catch (error) {
      this.#fail(error)
    }
  }

  finish(): GroupResult {
    this.#requireFile()
    if (this.#uncommittedFrom !== undefined) this.#commit()
    return { responses: this.#responses, commits: this.#commits, errors: this.#errors }
  }

  #requireFile(): void {
    try {
      this.#connection.requireFile()
    } catch (error) {
      if (this.#connection.isInTransaction) this.#connection.exec('rollback')
      this.#uncommittedFrom = undefined
      this.#responses.fill(toCallError(error))
      this.#errors.push(error)
    }
  }

  #takeWriteLock(): CallError | undefined {
    if (this.#noLock || this.#connection.isInTransaction) return this.#noLock
    try {
      this.#connection.beginWrite()
      this.#uncommittedFrom = this.#responses.length
    } catch (error) {
      this.#noLock = toCallError(error)
      this.#errors.push(error)
    }
    return this.#noLock
  }

  #runCall(call: Call, texts: readonly StepText[], isWrite: boolean): CallResponse {
    const run = () => this.#runSteps(call, texts)
    if (isWrite) {
      // SQLite rolls back a single failed statement by itself.
      const canFailHalfway = call.length > 1 || call.some(({ isRequired }) => isRequired)
      return canFailHalfway ? this.#runBetween(around.write, run) : run()
    }
    const needsSnapshot = call.length > 1 && !this.#connection.isInTransaction
    return needsSnapshot ? this.#runBetween(around.read, run) : run()
  }

  #runBetween(bounds: Bounds, run: () => CallResponse): CallResponse {
    this.#connection.runOften(bounds.begin)
    try {
      const response = run()
      if (isError(response)) this.#connection.exec(bounds.undo)
      else this.#connection.runOften(bounds.keep)
      return response
    } catch (error) {
      if (this.#connection.isInTransaction) this.#connection.exec(bounds.undo)
      throw error
    }
  }

  #runSteps(call: Call, texts: readonly StepText[]): CallResponse {
    const response: StepRows[] = []
    for (const [index, step] of call.entries()) {
      const rows = this.#runStep(step, texts[index] as StepText)
      if (step.isRequired && rows.rows.length === 0) return { problem: 'requirement', step: index }
      response.push(rows)
    }
    return response
  }

  #runStep({ values, isScript }: SqlStep, text: StepText): StepRows {
    if (!isScript) return runPrepared(this.#connection.prepare(text.sql, text), values)
    this.#connection.exec(text.sql)
    return noRows
  }

  #commit(): void {
    try {
      this.#connection.exec('commit')
      this.#commits += 1
      this.#uncommittedFrom = undefined
    } catch (error) {
      if (this.#connection.isInTransaction) this.#connection.exec('rollback')
      this.#loseUncommitted(error)
      this.#errors.push(error)
    }
  }

  #fail(error: unknown): void {
    // On a full or broken disk or without memory SQLite may roll back the whole transaction.
    if (this.#uncommittedFrom !== undefined && !this.#connection.isInTransaction) {
      this.#loseUncommitted(error)
    }
    this.#responses.push(toCallError(error))
    this.#errors.push(error)
  }

  #loseUncommitted(error: unknown): void {
    const { message } = error instanceof Error ? error : { message: String(error) }
    const lost = {
      problem: 'unavailable',
      message,
      isRefusal: false,
      isFull: isFull(error),
    } satisfies CallError
    const from = this.#uncommittedFrom ?? this.#responses.length
    this.#uncommittedFrom = undefined
    for (let index = from; index < this.#responses.length; index += 1) {
      const read = this.#reads.get(index)
      this.#responses[index] = read ? this.#runAgain(read) : lost
    }
  }

  /** It may have read what is lost. */
  #runAgain(read: () => CallResponse): CallResponse {
    try {
      return read()
    } catch (error) {
      this.#errors.push(error)
      return toCallError(error)
    }
  }
}

interface Bounds {
  readonly begin: string
  readonly keep: string
  readonly undo: string
}

const around = {
  write: {
    begin: 'savepoint caller',
    keep: 'release caller',
    undo: 'rollback to caller; release caller',
  },
  read: { begin: 'begin', keep: 'commit', undo: 'rollback' },
} satisfies Record<string, Bounds>

export const isError = (response: CallResponse): response is CallError => 'problem' in response

const noRows: StepRows = { columns: [], rows: [] }
