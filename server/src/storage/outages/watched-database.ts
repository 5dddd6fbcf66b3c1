import type { Failure } from '../../domain/failure.ts'
import {
  type CallLimits,
  type Database,
  type Driver,
  pingDeadlineMs,
  type ResultsOf,
  type StoreStatistics,
  type Subscription,
} from '../database.ts'
import { mayBeOtherSchema, type SchemaGuard } from '../schema/schema-guard.ts'
import type { Statement } from '../statement.ts'
import { findSchemaVersion } from '../tables/schema-migrations.ts'
import { WritingTurns } from '../writing-turns.ts'
import type { OutageLog } from './outage-log.ts'
import { isStoreUnavailable } from './store-unavailable.ts'

interface Watches {
  readonly outages: OutageLog
  readonly schema: SchemaGuard
}

/** Passes every call on to a driver; notices outages, and that the store has become newer than this process. */
export class WatchedDatabase implements Database {
  readonly #driver: Driver
  readonly #outages: OutageLog
  readonly #schema: SchemaGuard
  readonly #turns = new WritingTurns()
  #isClosed = false

  constructor(driver: Driver, { outages, schema }: Watches) {
    this.#driver = driver
    this.#outages = outages
    this.#schema = schema
  }

  get kind(): Database['kind'] {
    return this.#driver.kind
  }

  get isShared(): boolean {
    return this.#driver.isShared
  }

  /** Resolves once a newer version has migrated the store. */
  get whenOutdated(): Promise<void> {
    return this.#schema.whenOutdated
  }

  nowMs(): number {
    return this.#driver.nowMs()
  }

  elapsedMs(sinceMs: number): number {
    return this.#driver.elapsedMs(sinceMs)
  }

  clockOffsetMs(): number {
    return this.#driver.clockOffsetMs()
  }

  run<Result>(statement: Statement<Result>, limits?: CallLimits): Promise<Result[]> {
    return this.#inTurn([statement], () => this.#watch(this.#driver.run(statement, limits)))
  }

  transaction<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
    limits?: CallLimits,
  ): Promise<ResultsOf<Statements>> {
    return this.#inTurn(statements, () => this.#watch(this.#driver.transaction(statements, limits)))
  }

  listen(channel: string, onNotice: (payload: string) => void): Subscription {
    return this.#driver.listen(channel, onNotice)
  }

  /** The service asks this once a second, and so finds out about a newer schema. */
  ping(): Promise<void> {
    return this.#watch(this.#readSchema())
  }

  refusal(): Failure | undefined {
    return this.#schema.refusal ?? this.#driver.refusal()
  }

  statistics(): StoreStatistics {
    return this.#driver.statistics()
  }

  longestWaitMs(): number {
    return this.#driver.longestWaitMs()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#driver[Symbol.asyncDispose]()
  }

  #inTurn<Result>(
    statements: readonly Statement<unknown>[],
    call: () => Promise<Result>,
  ): Promise<Result> {
    const accountId = statements.find(({ turnOf }) => turnOf !== undefined)?.turnOf
    return accountId === undefined ? call() : this.#turns.take(accountId, call)
  }

  async #watch<Result>(call: Promise<Result>): Promise<Result> {
    try {
      const result = await call
      this.#outages.succeeded()
      return result
    } catch (error) {
      if (mayBeOtherSchema(error)) {
        await this.#readSchema().catch(() => undefined)
        throw this.#schema.refusal ?? error
      }
      // Calls that fail because this process closed the store are no outage.
      if (!this.#isClosed && isStoreUnavailable(error)) this.#outages.failed(error)
      throw error
    }
  }

  async #readSchema(): Promise<void> {
    const [schema = 0] = await this.#driver.run(findSchemaVersion(), { deadlineMs: pingDeadlineMs })
    this.#schema.see(schema)
  }
}
