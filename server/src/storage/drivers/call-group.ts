import { runPrepared } from './run-prepared.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { isFull, toCallError } from './sqlite-errors.ts'
import type { Call, CallAnswer, CallError, SqlStep, StepRows } from './sqlite-messages.ts'

export interface StepText {
  readonly sql: string
  /** It can do without the write lock. */
  readonly isRead: boolean
  /** It will come again, so it stays prepared. */
  readonly isKept: boolean
}

export interface GroupResult {
  readonly answers: readonly CallAnswer[]
  readonly commits: number
  /** The errors as SQLite gave them: the thread decides whether the connection is still good. */
  readonly errors: readonly unknown[]
}

/**
 * Runs the calls of many callers and commits once. Each caller's error undoes only its own work;
 * when the work of all of them is lost, because SQLite gave up the transaction or the commit failed,
 * every caller who was part of it hears so. Hence no constraint of ours is deferred to the commit.
 */
export class CallGroup {
  readonly #connection: SqliteConnection
  readonly #textOf: (step: SqlStep) => StepText
  readonly #answers: CallAnswer[] = []
  readonly #errors: unknown[] = []
  #commits = 0
  // The first of the answers that hold only if the open transaction commits.
  #uncommittedFrom: number | undefined
  // Once the write lock was waited for in vain, the rest of the group need not wait as well.
  #noLock: CallError | undefined

  constructor(connection: SqliteConnection, textOf: (step: SqlStep) => StepText) {
    this.#connection = connection
    this.#textOf = textOf
  }

  add(call: Call): void {
    try {
      const texts = call.map(this.#textOf)
      const isWrite = texts.some(({ isRead }) => !isRead)
      const noLock = isWrite ? this.#takeWriteLock() : undefined
      this.#answers.push(noLock ?? this.#runCall(call, texts, isWrite))
    } catch (error) {
      this.#fail(error)
    }
  }

  finish(): GroupResult {
    if (this.#uncommittedFrom !== undefined) this.#commit()
    return { answers: this.#answers, commits: this.#commits, errors: this.#errors }
  }

  #takeWriteLock(): CallError | undefined {
    if (this.#noLock || this.#connection.isInTransaction) return this.#noLock
    try {
      this.#connection.beginWrite()
      this.#uncommittedFrom = this.#answers.length
    } catch (error) {
      this.#noLock = toCallError(error)
      this.#errors.push(error)
    }
    return this.#noLock
  }

  #runCall(call: Call, texts: readonly StepText[], isWrite: boolean): CallAnswer {
    const run = () => this.#runSteps(call, texts)
    if (isWrite) {
      // A single statement undoes itself when it fails.
      const canFailHalfway = call.length > 1 || call.some(({ isRequired }) => isRequired)
      return canFailHalfway ? this.#runBetween(around.write, run) : run()
    }
    const needsSnapshot = call.length > 1 && !this.#connection.isInTransaction
    return needsSnapshot ? this.#runBetween(around.read, run) : run()
  }

  #runBetween(bounds: Bounds, run: () => CallAnswer): CallAnswer {
    this.#connection.runOften(bounds.begin)
    try {
      const answer = run()
      if (isError(answer)) this.#connection.exec(bounds.undo)
      else this.#connection.runOften(bounds.keep)
      return answer
    } catch (error) {
      if (this.#connection.isInTransaction) this.#connection.exec(bounds.undo)
      throw error
    }
  }

  #runSteps(call: Call, texts: readonly StepText[]): CallAnswer {
    const answer: StepRows[] = []
    for (const [index, step] of call.entries()) {
      const rows = this.#runStep(step, texts[index] as StepText)
      if (step.isRequired && rows.rows.length === 0) return { problem: 'requirement', step: index }
      answer.push(rows)
    }
    return answer
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
    // Full disk, broken disk, no memory: SQLite may undo everything, not just the statement.
    if (this.#uncommittedFrom !== undefined && !this.#connection.isInTransaction) {
      this.#loseUncommitted(error)
    }
    this.#answers.push(toCallError(error))
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
    this.#answers.fill(lost, this.#uncommittedFrom)
    this.#uncommittedFrom = undefined
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

export const isError = (answer: CallAnswer): answer is CallError => 'problem' in answer

const noRows: StepRows = { columns: [], rows: [] }
