import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { Semaphore } from '../../runtime/sharing/semaphore.ts'
import {
  type CallLimits,
  callDeadlineMsDefault,
  type Driver,
  type ResultsOf,
  type StoreStatistics,
  type Subscription,
} from '../database.ts'
import { StoreRefused } from '../outages/store-refused.ts'
import { assertChannel, RequirementUnmet, type Statement, sql } from '../statement.ts'
import { type Dialect, StatementTexts } from '../statement-texts.ts'
import { clockMeasuredEveryMs, StoreClock } from '../store-clock.ts'
import { checkServerSettings } from './check-server-settings.ts'
import { mapRows } from './map-rows.ts'
import { NoticeListeners } from './notice-listeners.ts'
import { PostgresConnections } from './postgres-connections.ts'
import { PostgresListener } from './postgres-listener.ts'
import { valueParsers } from './postgres-values.ts'

export interface PostgresOptions {
  readonly url: string
  readonly log: Log
  readonly connectionsMax?: number | undefined
}

/** Connects, checks the server's settings and measures its clock. */
export async function openPostgres(options: PostgresOptions): Promise<Driver> {
  const database = new PostgresDatabase(options)
  try {
    await checkServerSettings(database, options.log)
    await database.measureClock()
    return database
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

const dialect: Dialect = {
  placeholder: (position) => `$${position}`,
  fragments: {
    skipLocked: 'for update skip locked',
    forUpdate: 'for update',
    forNoKeyUpdate: 'for no key update',
    // An arbitrary constant.
    migrationLock: 'select pg_advisory_xact_lock(7281953046)',
    storeBytes: 'pg_database_size(current_database())',
    jsonElements: 'json_array_elements',
  },
}

const connectionsMaxDefault = 10

/** One that writes, and two that are on their way to the store. */
const contended = {
  accountMax: 3,
  atOnceMax: Number.POSITIVE_INFINITY,
  waitingMax: Number.POSITIVE_INFINITY,
}

// A slower response says more about a busy pool than about the time.
const clockRoundTripMsMax = 250

class PostgresDatabase implements Driver {
  readonly kind = 'postgres'
  readonly isShared = true
  readonly #connections: PostgresConnections
  readonly #texts = new StatementTexts(dialect)
  readonly #names = new Map<string, string>()
  readonly #listeners: NoticeListeners
  readonly #listener: PostgresListener
  readonly #log: Log
  readonly #clockTimer: NodeJS.Timeout
  readonly #contended = new Semaphore(contended)
  #clock: StoreClock | undefined
  #commits = 0
  #statements = 0

  constructor({ url, log, connectionsMax = connectionsMaxDefault }: PostgresOptions) {
    this.#log = log
    const config = connectionConfig(url)
    this.#listeners = new NoticeListeners(log)
    this.#listener = new PostgresListener(config, { listeners: this.#listeners, log })
    const onDown = () => this.#listener.destroyConnection()
    this.#connections = new PostgresConnections(config, { connectionsMax, log, onDown })
    this.#clockTimer = setInterval(() => void this.#remeasureClock(), clockMeasuredEveryMs)
    this.#clockTimer.unref()
  }

  nowMs(): number {
    return this.#clock?.nowMs() ?? Date.now()
  }

  elapsedMs(sinceMs: number): number {
    return this.#clock?.elapsedMs(sinceMs) ?? Date.now() - sinceMs
  }

  clockOffsetMs(): number {
    return this.nowMs() - Date.now()
  }

  /** Assumes that the response took half of the round trip. */
  async measureClock(): Promise<void> {
    const beforeMs = performance.now()
    const [measured] = await this.run(sql<{ now_ms: number }>`
      select cast(extract(epoch from clock_timestamp()) * 1000 as double precision) as now_ms`)
    const roundTripMs = performance.now() - beforeMs
    if (!measured || (this.#clock && roundTripMs > clockRoundTripMsMax)) return
    const storeMs = measured.now_ms + roundTripMs / 2
    this.#clock ??= new StoreClock(storeMs)
    this.#clock.correct(storeMs)
  }

  async run<Result>(statement: Statement<Result>, limits?: CallLimits): Promise<Result[]> {
    const mayTakeLong = (limits?.deadlineMs ?? 0) > callDeadlineMsDefault
    // A requirement may roll back, and a long deadline is set for the transaction: both need a `begin`.
    if (statement.requirement !== undefined || mayTakeLong) {
      return (await this.transaction([statement], limits))[0]
    }
    const query = this.#toQuery(statement, limits)
    const result = await this.#connections.use((client) => client.query(query), deadlineOf(limits))
    this.#commits += 1
    return (await toResults(statement, result)) as Result[]
  }

  async transaction<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
    limits?: CallLimits,
  ): Promise<ResultsOf<Statements>> {
    const queries = statements.map((statement) => this.#toQuery(statement, limits))
    const begin = beginWith(limits)
    const results = await this.#withoutCrowding(statements, () =>
      this.#connections.use(
        (client) => runTransaction(client, { begin, statements, queries }),
        deadlineOf(limits),
      ),
    )
    this.#commits += 1
    const mapped = statements.map((statement, index) => toResults(statement, results[index]))
    return (await Promise.all(mapped)) as ResultsOf<Statements>
  }

  listen(channel: string, onNotice: (payload: string) => void): Subscription {
    assertChannel(channel)
    const end = this.#listeners.add(channel, onNotice)
    return {
      whenActive: this.#listener.subscribe(channel),
      [Symbol.dispose]: () => {
        if (end()) this.#listener.unsubscribe(channel)
      },
    }
  }

  /** A server may come back at any time. */
  refusal(): undefined {
    return undefined
  }

  statistics(): StoreStatistics {
    return { commits: this.#commits, statements: this.#statements }
  }

  longestWaitMs(): number {
    return this.#connections.longestWaitMs()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#clockTimer)
    await Promise.all([this.#listener.close(), this.#connections.end()])
  }

  /** Writes that wait for each other's row locks leave connections to everything else. */
  async #withoutCrowding<Result>(
    statements: readonly Statement<unknown>[],
    call: () => Promise<Result>,
  ): Promise<Result> {
    const name = statements.find(({ contended }) => contended !== undefined)?.contended
    if (name === undefined) return await call()
    const done = await this.#contended.run(call, { accountId: name })
    assert(done, 'The queue has no limit.')
    return done.result
  }

  async #remeasureClock(): Promise<void> {
    try {
      await this.measureClock()
    } catch (error) {
      this.#log.debug({ err: error }, "Failed to measure the store's clock; retrying later.")
    }
  }

  /** The same in every process, so that a pooler such as PgBouncer can share prepared statements. */
  #nameOf(text: string): string {
    const known = this.#names.get(text)
    if (known) return known
    const name = `trawl_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    this.#names.set(text, name)
    return name
  }

  #toQuery(statement: Statement<unknown>, limits: CallLimits | undefined): Query {
    this.#statements += 1
    const { text, values } = this.#texts.render(statement)
    const query_timeout = limits?.deadlineMs
    if (statement.isScript) return { text: text.sql, query_timeout }
    const name = text.number === undefined ? undefined : this.#nameOf(text.sql)
    return { text: text.sql, values: [...values], name, query_timeout }
  }
}

interface Query extends pg.QueryConfig {
  query_timeout: number | undefined
}

interface PlannedTransaction {
  readonly begin: string
  readonly statements: readonly Statement<unknown>[]
  readonly queries: readonly Query[]
}

/**
 * Pipelines the statements. Without requirements the commit is sent along: after an error PostgreSQL
 * treats it as a rollback. With requirements the commit is sent once all of them are met.
 */
async function runTransaction(
  client: pg.PoolClient,
  { begin, statements, queries }: PlannedTransaction,
): Promise<pg.QueryResult[]> {
  // Awaited: if it failed, the statements behind it would be committed one by one.
  await client.query(begin)
  const hasRequirements = statements.some(({ requirement }) => requirement !== undefined)
  const sent = queries.map((query) => client.query(query))
  if (!hasRequirements) sent.push(client.query('commit'))
  const outcomes = await Promise.allSettled(sent)
  const problem = findProblem(outcomes, statements)
  if (hasRequirements) await client.query(problem ? 'rollback' : 'commit')
  if (problem) throw problem
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<pg.QueryResult>).value)
}

/** The first error in order: later ones are its consequences. */
function findProblem(
  outcomes: readonly PromiseSettledResult<pg.QueryResult>[],
  statements: readonly Statement<unknown>[],
): Error | undefined {
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected') return outcome.reason
    const requirement = statements[index]?.requirement
    if (requirement === undefined) continue
    if (outcome.value.rows.length === 0) return new RequirementUnmet(requirement)
  }
  return undefined
}

const deadlineOf = (limits: CallLimits | undefined): number =>
  limits?.deadlineMs ?? callDeadlineMsDefault

const beginWith = (limits: CallLimits | undefined): string =>
  limits?.deadlineMs === undefined
    ? 'begin'
    : `begin; set local statement_timeout = ${Math.ceil(limits.deadlineMs)}`

function toResults(
  statement: Statement<unknown>,
  result: pg.QueryResult | undefined,
): unknown[] | Promise<unknown[]> {
  if (!result || statement.isNotice || statement.isScript) return []
  const toResult = statement.toResult as ((row: unknown) => unknown) | undefined
  return toResult ? mapRows(statement, result.rows, toResult) : result.rows
}

function connectionConfig(url: string): pg.ClientConfig {
  try {
    // `pg` would parse it at the first connection, where an error looks like an outage.
    new URL(url)
  } catch (error) {
    throw new StoreRefused('The database URL cannot be read.', { cause: error })
  }
  return {
    connectionString: url,
    application_name: 'trawl',
    connectionTimeoutMillis: callDeadlineMsDefault,
    query_timeout: callDeadlineMsDefault,
    statement_timeout: callDeadlineMsDefault,
    idle_in_transaction_session_timeout: callDeadlineMsDefault,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: valueParsers,
    // A transaction's statements are sent without waiting for each other's response.
    pipeline: true,
  }
}
