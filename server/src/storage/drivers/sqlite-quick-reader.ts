import { DatabaseSync } from 'node:sqlite'
import type { SqlValue, Statement } from '../statement.ts'
import { runPrepared } from './run-prepared.ts'
import type { PreparedStatement } from './sqlite-connection.ts'
import { toResults } from './sqlite-results.ts'

interface QuickStatement extends PreparedStatement {
  /** What it gave, by its values, since the last commit by anyone. */
  readonly remembered: Map<string, Remembered>
}

interface Remembered {
  readonly toResult: unknown
  readonly results: unknown[]
}

// Enough for what is asked again and again between two commits; small enough to forget about.
const rememberedMax = 1_000

/**
 * Reads on the event loop itself what an index answers in a few rows: that takes about 10 µs, the way
 * to the database thread and back ten times as much. It sees what has been committed, and never waits.
 * Rows are remembered until anything at all is committed, by this process or another: SQLite tells in
 * 1 µs whether that is so.
 */
export class SqliteQuickReader {
  readonly #file: string
  readonly #prepared = new Map<string, QuickStatement>()
  #connection: DatabaseSync | undefined
  #version: unknown
  #rememberedCount = 0
  #isCheckedThisTurn = false

  constructor(file: string) {
    this.#file = file
  }

  /** Undefined when it cannot be read now: the thread can wait for a lock, or say what is wrong. */
  read(
    sql: string,
    values: readonly SqlValue[],
    statement: Statement<unknown>,
  ): unknown[] | undefined {
    try {
      this.#forgetWhenChanged()
      const prepared = this.#prepare(sql)
      const key = JSON.stringify(values)
      const known = prepared.remembered.get(key)
      if (known?.toResult === statement.toResult) return known?.results
      const results = toResults(statement, runPrepared(prepared, values))
      this.#remember(prepared, key, { toResult: statement.toResult, results })
      return results
    } catch {
      this.close()
      return undefined
    }
  }

  /** To be called when this process has committed: its callers may ask in the same turn. */
  expectChange(): void {
    this.#isCheckedThisTurn = false
  }

  /** The next read opens the file anew. */
  close(): void {
    this.#prepared.clear()
    this.#isCheckedThisTurn = false
    try {
      this.#connection?.close()
    } finally {
      this.#connection = undefined
    }
  }

  #remember(prepared: QuickStatement, key: string, remembered: Remembered): void {
    if (this.#rememberedCount >= rememberedMax) return
    this.#rememberedCount += 1
    // Several callers will be given the same results: none may change them.
    for (const result of remembered.results) Object.freeze(result)
    Object.freeze(remembered.results)
    prepared.remembered.set(key, remembered)
  }

  /**
   * Asked once a turn of the event loop: what is answered in this turn had been asked before it began,
   * so nobody can know of a commit that came later.
   */
  #forgetWhenChanged(): void {
    if (this.#isCheckedThisTurn) return
    this.#isCheckedThisTurn = true
    setImmediate(() => {
      this.#isCheckedThisTurn = false
    })
    const [row] = runPrepared(this.#prepare('pragma data_version'), []).rows
    if (row?.[0] === this.#version) return
    this.#version = row?.[0]
    this.#rememberedCount = 0
    for (const { remembered } of this.#prepared.values()) remembered.clear()
  }

  #prepare(sql: string): QuickStatement {
    const known = this.#prepared.get(sql)
    if (known) return known
    this.#connection ??= new DatabaseSync(this.#file, { readOnly: true, timeout: 0 })
    const statement = this.#connection.prepare(sql)
    statement.setReturnArrays(true)
    const columns = statement.columns().map(({ name }) => name)
    const prepared = { statement, columns, remembered: new Map<string, Remembered>() }
    this.#prepared.set(sql, prepared)
    return prepared
  }
}
