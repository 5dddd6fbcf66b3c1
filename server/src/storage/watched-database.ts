import type { Failure } from '../domain/failure.ts'
import type { CallLimits, Database, ResultsOf, StoreStatistics, Subscription } from './database.ts'
import type { OutageLog } from './outage-log.ts'
import type { Statement } from './statement.ts'
import { isStoreUnavailable } from './store-unavailable.ts'

/** Passes every call on to a driver and reports those that fail in an outage. */
export class WatchedDatabase implements Database {
  readonly #driver: Database
  readonly #outages: OutageLog
  #isClosed = false

  constructor(driver: Database, { outages }: { outages: OutageLog }) {
    this.#driver = driver
    this.#outages = outages
  }

  get kind(): Database['kind'] {
    return this.#driver.kind
  }

  get isShared(): boolean {
    return this.#driver.isShared
  }

  nowMs(): number {
    return this.#driver.nowMs()
  }

  clockOffsetMs(): number {
    return this.#driver.clockOffsetMs()
  }

  run<Result>(statement: Statement<Result>, limits?: CallLimits): Promise<Result[]> {
    return this.#watch(this.#driver.run(statement, limits))
  }

  transaction<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
    limits?: CallLimits,
  ): Promise<ResultsOf<Statements>> {
    return this.#watch(this.#driver.transaction(statements, limits))
  }

  listen(channel: string, onNotice: (payload: string) => void): Subscription {
    return this.#driver.listen(channel, onNotice)
  }

  ping(): Promise<void> {
    return this.#watch(this.#driver.ping())
  }

  refusal(): Failure | undefined {
    return this.#driver.refusal()
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

  async #watch<Result>(call: Promise<Result>): Promise<Result> {
    try {
      const result = await call
      this.#outages.succeeded()
      return result
    } catch (error) {
      // Calls that fail because this process closed the store are no outage.
      if (!this.#isClosed && isStoreUnavailable(error)) this.#outages.failed(error)
      throw error
    }
  }
}
