import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { fileIdentity } from './file-identity.ts'
import { breaksConnection, FileLost, isBusy, NotOurStore } from './sqlite-errors.ts'
import type { SqliteThreadOptions } from './sqlite-messages.ts'
import { logOf, rememberLog } from './stale-log.ts'

export interface PreparedStatement {
  readonly statement: StatementSync
  readonly columns: readonly string[]
}

// A Trawl process commits within milliseconds. If another connection holds the lock for this long
// without a commit, calls fail; while it still does, they fail sooner.
const heldLockMsMax = 700
const heldLockRetryMs = 50

/** One connection to the file, with every statement prepared once. */
export class SqliteConnection {
  readonly #file: string
  readonly #identity: string | undefined
  #logIdentity: string | undefined
  readonly #connection: DatabaseSync
  readonly #prepared = new Map<string, PreparedStatement>()
  readonly #busyTimeoutMs: number
  readonly #isReader: boolean
  #isLockHeld = false

  constructor({ file, identity, busyTimeoutMs, isReader }: SqliteThreadOptions) {
    this.#file = file
    this.#identity = identity
    this.#busyTimeoutMs = busyTimeoutMs
    this.#isReader = isReader
    // SQLite would create a file where there is none, and a log, which a reader must find.
    const hasLog = !isReader || fileIdentity(logOf(file)) !== undefined
    if (fileIdentity(file) !== identity || !hasLog) throw new FileLost(file)
    this.#connection = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: isReader })
    try {
      refuseForeignFile(this.#connection, file)
      // What writes has opened the file before.
      if (!isReader) enterWalMode(this.#connection, busyTimeoutMs)
      this.#connection.exec(isReader ? readerSettings : settings)
      this.#expectHeldLock(false)
    } catch (error) {
      this.#connection.close()
      throw nameFile(error, file)
    }
  }

  /**
   * Throws if the file, or its write-ahead log, is no longer the one that this connection writes to: what is committed
   * after a deletion is gone with the process. It takes a few microseconds.
   */
  requireFile(): void {
    const logIdentity = fileIdentity(logOf(this.#file))
    const isLogNew = this.#logIdentity === undefined && logIdentity !== undefined
    this.#logIdentity ??= logIdentity
    if (fileIdentity(this.#file) !== this.#identity || logIdentity !== this.#logIdentity) {
      throw new FileLost(this.#file)
    }
    if (isLogNew && !this.#isReader) rememberLog(this.#file)
  }

  get isInTransaction(): boolean {
    return this.#connection.isTransaction
  }

  exec(script: string): void {
    this.#connection.exec(script)
  }

  /**
   * Takes the write lock. It waits as long as other writers make progress. If one of them holds the
   * lock without a commit, this fails soon, and from then on almost at once until the lock is free.
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
    const patienceMs = isLockHeld ? heldLockRetryMs : heldLockMsMax
    this.#connection.exec(`pragma busy_timeout = ${Math.min(patienceMs, this.#busyTimeoutMs)}`)
  }

  /** A number that changes whenever another connection has committed. */
  #dataVersion(): unknown {
    const { statement } = this.prepare('pragma data_version', { isKept: true })
    return Object.values(statement.get() ?? {})[0]
  }

  /** Runs a statement without values or rows, such as a savepoint, and keeps it prepared. */
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

// synchronous = full: a commit is on the disk before the caller gets its response. Without secure_delete
// the file would keep the text of rows that were deleted or encrypted since. The size limit shrinks a
// write-ahead log that one long reader made large.
const settings = `
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma secure_delete = fast;
  pragma temp_store = memory;
  pragma cache_size = -16000;
  pragma journal_size_limit = 67108864`

// Few rows are read twice, so a small cache is enough.
const readerSettings = `
  pragma temp_store = memory;
  pragma cache_size = -2000`

/** Runs before anything is written: a file of another program must stay unchanged. */
function refuseForeignFile(connection: DatabaseSync, file: string): void {
  const { tables, ours } = connection
    .prepare(`
      select count(*) as tables, count(*) filter (where name = 'schema_migrations') as ours
      from sqlite_schema where type = 'table'`)
    .get() as { tables: number; ours: number }
  if (tables > 0 && ours === 0) throw new NotOurStore(`${file} belongs to another program.`)
}

/** The switch needs exclusive access for a moment, and SQLite does not wait for it by itself. */
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
