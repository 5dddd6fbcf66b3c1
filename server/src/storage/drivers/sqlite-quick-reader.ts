import { DatabaseSync } from 'node:sqlite'
import type { SqlValue, Statement } from '../statement.ts'
import { fileIdentity } from './file-identity.ts'
import { runPrepared } from './run-prepared.ts'
import type { PreparedStatement } from './sqlite-connection.ts'
import { FileLost } from './sqlite-errors.ts'
import type { SqliteThreadOptions } from './sqlite-messages.ts'
import { toResults } from './sqlite-results.ts'

interface QuickStatement extends PreparedStatement {
  /** Its results by its values, since the last commit of any connection. */
  readonly cached: Map<string, CachedResults>
}

interface CachedResults {
  readonly toResult: unknown
  readonly results: unknown[]
}

// Enough for the reads that repeat between two commits.
const cachedMax = 1_000

/**
 * Runs quick reads on the event loop: a read of a few rows by an index takes about 10 µs, the round trip
 * to the database thread ten times as much. It sees committed rows only, and never waits for a lock.
 * Results are cached until any process commits, which SQLite can check in 1 µs.
 */
export class SqliteQuickReader {
  readonly #file: string
  readonly #identity: string | undefined
  readonly #prepared = new Map<string, QuickStatement>()
  #connection: DatabaseSync | undefined
  #version: unknown
  #cachedCount = 0
  #isCheckedThisTurn = false
  #isClosed = false

  constructor({ file, identity }: Pick<SqliteThreadOptions, 'file' | 'identity'>) {
    this.#file = file
    this.#identity = identity
  }

  /** Undefined if it cannot be read now: the thread can wait for a lock, or report the error. */
  read(
    sql: string,
    values: readonly SqlValue[],
    statement: Statement<unknown>,
  ): unknown[] | undefined {
    if (this.#isClosed) return undefined
    try {
      this.#invalidateWhenChanged()
      const prepared = this.#prepare(sql)
      const key = JSON.stringify(values)
      const known = prepared.cached.get(key)
      if (known && known.toResult === statement.toResult) return known.results
      const results = toResults(statement, runPrepared(prepared, values))
      this.#cache(prepared, key, { toResult: statement.toResult, results })
      return results
    } catch {
      this.reopen()
      return undefined
    }
  }

  /** To be called after a commit of this process, whose callers may read in the same turn. */
  expectChange(): void {
    this.#isCheckedThisTurn = false
  }

  close(): void {
    this.#isClosed = true
    this.reopen()
  }

  /** The next read opens the file again, unless the reader is closed. */
  reopen(): void {
    this.#prepared.clear()
    this.#isCheckedThisTurn = false
    try {
      this.#connection?.close()
    } finally {
      this.#connection = undefined
    }
  }

  #cache(prepared: QuickStatement, key: string, cached: CachedResults): void {
    if (this.#cachedCount >= cachedMax) return
    this.#cachedCount += 1
    // Frozen, since several callers get the same objects.
    for (const result of cached.results) Object.freeze(result)
    Object.freeze(cached.results)
    prepared.cached.set(key, cached)
  }

  /**
   * Checks once in a turn of the event loop: a caller in this turn cannot know of a commit that another
   * process made during it.
   */
  #invalidateWhenChanged(): void {
    if (this.#isCheckedThisTurn) return
    this.#isCheckedThisTurn = true
    setImmediate(() => {
      this.#isCheckedThisTurn = false
    })
    const [row] = runPrepared(this.#prepare('pragma data_version'), []).rows
    if (row?.[0] === this.#version) return
    this.#version = row?.[0]
    this.#cachedCount = 0
    for (const { cached } of this.#prepared.values()) cached.clear()
  }

  #open(): DatabaseSync {
    if (fileIdentity(this.#file) !== this.#identity) throw new FileLost(this.#file)
    return new DatabaseSync(this.#file, { readOnly: true, timeout: 0 })
  }

  #prepare(sql: string): QuickStatement {
    const known = this.#prepared.get(sql)
    if (known) return known
    this.#connection ??= this.#open()
    const statement = this.#connection.prepare(sql)
    statement.setReturnArrays(true)
    const columns = statement.columns().map(({ name }) => name)
    const prepared = { statement, columns, cached: new Map<string, CachedResults>() }
    this.#prepared.set(sql, prepared)
    return prepared
  }
}
