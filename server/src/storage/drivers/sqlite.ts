import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Failure } from '../../domain/failure.ts'
import { makeFolder } from '../../runtime/files/make-folder.ts'
import type { Log } from '../../runtime/log.ts'
import {
  type CallLimits,
  callDeadlineMsDefault,
  type Driver,
  type ResultsOf,
  type StoreStatistics,
  type Subscription,
} from '../database.ts'
import { StoreRefused } from '../outages/store-refused.ts'
import { isStoreUnavailable } from '../outages/store-unavailable.ts'
import {
  assertChannel,
  RequirementUnmet,
  type SqlValue,
  type Statement,
  sql,
} from '../statement.ts'
import { type Dialect, StatementTexts } from '../statement-texts.ts'
import { clockMeasuredEveryMs, StoreClock } from '../store-clock.ts'
import { addStatistics, DatabaseThread } from './database-thread.ts'
import { fileIdentity } from './file-identity.ts'
import { isError } from './group-commit.ts'
import { fromCallError } from './sqlite-errors.ts'
import type { CallError, SqlStep } from './sqlite-messages.ts'
import { SqliteQuickReader } from './sqlite-quick-reader.ts'
import { toResultsInTurns } from './sqlite-results.ts'
import { setStaleLogAside } from './stale-log.ts'

export interface SqliteOptions {
  readonly file: string
  readonly log: Log
  /** How long a writer waits for the write lock while other processes make progress. */
  readonly busyTimeoutMs?: number | undefined
}

/** Opens or creates the file; refuses one that is not a Trawl store or cannot be used. */
export async function openSqlite(options: SqliteOptions): Promise<Driver> {
  makeFile(options.file)
  setStaleLogAside(options.file, options.log)
  const database = new SqliteDatabase(options)
  try {
    await database.checkFile()
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
  return database
}

const dialect: Dialect = {
  placeholder: () => '?',
  fragments: {
    skipLocked: '',
    forUpdate: '',
    forNoKeyUpdate: '',
    migrationLock: 'select 1 as locked',
    storeBytes: '(select page_count * page_size from pragma_page_count, pragma_page_size)',
    jsonElements: 'json_each',
  },
}

class SqliteDatabase implements Driver {
  readonly kind = 'sqlite'
  readonly isShared = false
  readonly #texts = new StatementTexts(dialect)
  readonly #thread: DatabaseThread
  readonly #slowReader: DatabaseThread
  readonly #quickReader: SqliteQuickReader
  // The file is on this machine, so the store's clock is the machine's.
  readonly #clock = new StoreClock(Date.now())
  readonly #clockTimer: NodeJS.Timeout
  #refusal: Failure | undefined

  constructor({ file, log, busyTimeoutMs = 5_000 }: SqliteOptions) {
    const identity = fileIdentity(file)
    this.#quickReader = new SqliteQuickReader({ file, identity })
    const textOf = (number: number) => this.#texts.sqlOf(number)
    const shared = { file, identity, busyTimeoutMs }
    this.#thread = new DatabaseThread({ ...shared, isReader: false }, { textOf, log })
    this.#slowReader = new DatabaseThread({ ...shared, isReader: true }, { textOf, log })
    this.#clockTimer = setInterval(() => this.#clock.correct(Date.now()), clockMeasuredEveryMs)
    this.#clockTimer.unref()
  }

  nowMs(): number {
    return this.#clock.nowMs()
  }

  elapsedMs(sinceMs: number): number {
    return this.#clock.elapsedMs(sinceMs)
  }

  clockOffsetMs(): number {
    return this.#clock.nowMs() - Date.now()
  }

  /** The first call. Only here does an error of the file itself refuse the store. */
  async checkFile(): Promise<void> {
    const response = await this.#thread.call([this.#toStep(firstQuery)], {
      deadlineMs: callDeadlineMsDefault,
      isBulk: false,
    })
    if (!isError(response)) return
    if (response.problem === 'unavailable' && response.isRefusal)
      throw new StoreRefused(response.message)
    throw toError(response, [firstQuery])
  }

  run<Result>(statement: Statement<Result>, limits?: CallLimits): Promise<Result[]> {
    if (statement.isQuick) {
      const { text, values } = this.#texts.render(statement)
      const found = this.#quickReader.read(text.sql, values, statement)
      if (found) return Promise.resolve(found as Result[])
    }
    return this.transaction([statement], limits).then(([results]) => results)
  }

  async transaction<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
    limits?: CallLimits,
  ): Promise<ResultsOf<Statements>> {
    const stored = statements.filter(({ isNotice }) => !isNotice)
    if (stored.length === 0) return statements.map(() => []) as unknown as ResultsOf<Statements>
    const steps = stored.map((statement) => this.#toStep(statement))
    const thread = stored.every(({ isSlow }) => isSlow) ? this.#slowReader : this.#thread
    const response = await thread.call(steps, {
      deadlineMs: limits?.deadlineMs ?? callDeadlineMsDefault,
      isBulk: stored.some(({ isBulk }) => isBulk),
    })
    this.#quickReader.expectChange()
    if (isError(response)) throw this.#fail(response, stored)
    this.#refusal = undefined

    let next = 0
    const results = statements.map((statement) =>
      statement.isNotice ? [] : toResultsInTurns(statement, response[next++]),
    )
    return (await Promise.all(results)) as ResultsOf<Statements>
  }

  /** There are no notifications on a store that is not shared. */
  listen(channel: string): Subscription {
    assertChannel(channel)
    return { whenActive: Promise.resolve(), [Symbol.dispose]: () => undefined }
  }

  refusal(): Failure | undefined {
    return this.#refusal
  }

  statistics(): StoreStatistics {
    return addStatistics(this.#thread.statistics(), this.#slowReader.statistics())
  }

  /** Without slow reads: those who wait for them wait for nothing else. */
  longestWaitMs(): number {
    return this.#thread.longestWaitMs()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#clockTimer)
    this.#quickReader.close()
    // The last connection to be closed empties the write-ahead log, which a reader cannot.
    await this.#slowReader.close()
    await this.#thread.close()
  }

  #fail(response: CallError, statements: readonly Statement<unknown>[]): Error {
    const error = toError(response, statements)
    if (response.problem !== 'unavailable') return error
    // The file may have been replaced: the next quick read opens it again, if it is still the same.
    this.#quickReader.reopen()
    if (response.isFileLost && isStoreUnavailable(error)) this.#refusal = error
    return error
  }

  #toStep(statement: Statement<unknown>): SqlStep {
    const { text, values } = this.#texts.render(statement)
    return {
      text: statement.isScript ? text.sql : (text.number ?? text.sql),
      values: values.map(toOwned),
      isRequired: statement.requirement !== undefined,
      isScript: statement.isScript,
    }
  }
}

const firstQuery = sql<{ tables: number }>`select count(*) as tables from sqlite_schema`

// A copy, because the buffer is transferred to the thread: the caller would lose its own, and a small
// view would take its whole buffer along.
const toOwned = (value: SqlValue): SqlValue =>
  value instanceof Uint8Array ? new Uint8Array(value) : value

function toError(error: CallError, statements: readonly Statement<unknown>[]): Error {
  if (error.problem !== 'requirement') return fromCallError(error)
  return new RequirementUnmet(statements[error.step]?.requirement ?? 'a row')
}

/** Creates the file before SQLite does: readable by this user only, and its folder entry synced. */
function makeFile(file: string): void {
  const folder = dirname(file)
  try {
    makeFolder(folder)
    closeSync(openSync(file, 'a', 0o600))
    const folderHandle = openSync(folder, 'r')
    fsyncSync(folderHandle)
    closeSync(folderHandle)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreRefused(`The store ${file} cannot be opened: ${reason}`, { cause: error })
  }
}
