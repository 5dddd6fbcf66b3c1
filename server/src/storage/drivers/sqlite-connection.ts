import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { breaksConnection, isBusy, NotOurStore } from './sqlite-errors.ts'
import type { SqliteThreadOptions } from './sqlite-messages.ts'

/** A statement as the thread keeps it. */
export interface PreparedStatement {
  readonly statement: StatementSync
  readonly columns: readonly string[]
}

// A writer of ours commits within milliseconds. Whoever holds the lock for this long without one
// keeps it, and callers had better hear of it.
const heldLockMsMax = 700
const heldLockAskedMs = 50

/** One connection to the file, with every statement prepared once. */
export class SqliteConnection {
  readonly #connection: DatabaseSync
  readonly #prepared = new Map<string, PreparedStatement>()
  readonly #busyTimeoutMs: number
  #isLockHeld = false

  constructor({ file, busyTimeoutMs }: SqliteThreadOptions) {
    this.#busyTimeoutMs = busyTimeoutMs
    this.#connection = new DatabaseSync(file, { timeout: busyTimeoutMs })
    try {
      refuseForeignFile(this.#connection, file)
      enterWalMode(this.#connection, busyTimeoutMs)
      this.#connection.exec(settings)
      this.#expectHeldLock(false)
    } catch (error) {
      this.#connection.close()
      throw nameFile(error, file)
    }
  }

  get isInTransaction(): boolean {
    return this.#connection.isTransaction
  }

  exec(script: string): void {
    this.#connection.exec(script)
  }

  /**
   * Takes the write lock. While others who want it too get on, this waits for its turn; when one of
   * them keeps it, this gives up soon, and at once until the lock is free again.
   */
  beginWrite(): void {
    const untilMs = performance.now() + this.#busyTimeoutMs
    for (;;) {
      const version = this.#dataVersion()
      try {
        this.#connection.exec('begin immediate')
        break
      } catch (error) {
        if (!isBusy(error)) throw error
        const isHeld = this.#dataVersion() === version
        if (isHeld) this.#expectHeldLock(true)
        if (isHeld || performance.now() > untilMs) throw error
      }
    }
    if (this.#isLockHeld) this.#expectHeldLock(false)
  }

  #expectHeldLock(isLockHeld: boolean): void {
    this.#isLockHeld = isLockHeld
    const patienceMs = isLockHeld ? heldLockAskedMs : heldLockMsMax
    this.#connection.exec(`pragma busy_timeout = ${Math.min(patienceMs, this.#busyTimeoutMs)}`)
  }

  /** Another number whenever another connection has committed. */
  #dataVersion(): unknown {
    const { statement } = this.prepare('pragma data_version', { isKept: true })
    return Object.values(statement.get() ?? {})[0]
  }

  /** One statement without values or rows, such as a savepoint; prepared, as it comes with every call. */
  runOften(sql: string): void {
    this.prepare(sql, { isKept: true }).statement.run()
  }

  prepare(sql: string, { isKept }: { isKept: boolean }): PreparedStatement {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#connection.prepare(sql)
    statement.setReturnArrays(true)
    const columns = statement.columns().map(({ name }) => name)
    const prepared = { statement, columns }
    if (isKept) this.#prepared.set(sql, prepared)
    return prepared
  }

  close(): void {
    this.#prepared.clear()
    this.#connection.close()
  }
}

// FULL: a commit is on the disk before it is answered. Without secure_delete the file would go on holding
// the text of rows that were encrypted since or deleted. The size limit gives back the space of a
// log that one long reader made large.
const settings = `
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma secure_delete = fast;
  pragma temp_store = memory;
  pragma cache_size = -16000;
  pragma journal_size_limit = 67108864`

/** Looks before anything is written: a file of another program must be left as it was. */
function refuseForeignFile(connection: DatabaseSync, file: string): void {
  const { tables, ours } = connection
    .prepare(`
      select count(*) as tables, count(*) filter (where name = 'schema_migrations') as ours
      from sqlite_schema where type = 'table'`)
    .get() as { tables: number; ours: number }
  if (tables > 0 && ours === 0) throw new NotOurStore(`${file} belongs to another program.`)
}

/** The switch needs the file alone for a moment and does not wait for it by itself. */
function enterWalMode(connection: DatabaseSync, patienceMs: number): void {
  const untilMs = performance.now() + patienceMs
  for (;;) {
    try {
      connection.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > untilMs) throw error
      sleepMs(10)
    }
  }
}

const sleepMs = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

function nameFile(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof NotOurStore) return error
  if (!breaksConnection(error)) return error
  return Object.assign(error, { message: `${file}: ${error.message}` })
}
