import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { backoffMs } from '../../domain/backoff.ts'
import { Deadline } from '../../runtime/deadline.ts'
import type { Log } from '../../runtime/log.ts'
import { storeUnavailable } from '../outages/store-unavailable.ts'
import { isConflict, isConnectionError, toStoreError } from './postgres-errors.ts'
import { PostgresHealthCheck } from './postgres-health-check.ts'

// Long enough for a busy moment, short enough to report an outage soon.
const connectionWaitMsMax = 5_000
const connectionIdleMsMax = 30_000
const conflictRetriesMax = 5
// Full jitter, so that transactions that conflicted do not meet again.
const conflictBackoff = { firstMs: 5, msMax: 160, spread: 1 }

/** The connection pool. It retries transactions that conflict, and maps errors to those of the store. */
export class PostgresConnections {
  readonly #pool: pg.Pool
  readonly #health: PostgresHealthCheck
  readonly #clients = new Set<pg.Client>()
  readonly #uses = new Set<Promise<unknown>>()
  /** The calls that wait for a connection, oldest first. */
  readonly #waiting = new Set<{ sinceMs: number }>()
  #ended: Promise<void> | undefined

  constructor(
    config: pg.ClientConfig,
    { connectionsMax, log, onDown }: { connectionsMax: number; log: Log; onDown(): void },
  ) {
    this.#pool = new pg.Pool({
      ...config,
      max: connectionsMax,
      connectionTimeoutMillis: connectionWaitMsMax,
      idleTimeoutMillis: connectionIdleMsMax,
    })
    this.#pool.on('error', (error) => log.debug({ err: error }, 'An idle connection failed.'))
    // Without a listener this error would crash the process; the query that fails reports it.
    this.#pool.on('connect', (client) => {
      client.on('error', () => {})
      this.#health.recordResponse()
      this.#clients.add(client)
      client.once('end', () => this.#clients.delete(client))
    })
    this.#health = new PostgresHealthCheck(config, {
      log,
      onDown: () => {
        this.#destroyConnections()
        onDown()
      },
    })
  }

  /** Runs the work with a pooled connection; after a conflict again, until the deadline. */
  async use<Result>(work: Work<Result>, deadlineMs: number): Promise<Result> {
    if (this.#ended !== undefined) throw storeUnavailable('The store is closed.')
    if (this.#health.isDown) throw storeUnavailable(downMessage)
    using deadline = new Deadline({
      ms: deadlineMs,
      late: () => storeUnavailable(`The store did not answer within ${deadlineMs} ms.`),
    })
    using _watch = this.#health.watch(() => deadline.end(storeUnavailable(downMessage)))
    const use = this.#useWithRetries(work, deadline)
    this.#uses.add(use)
    void use.catch(() => {}).finally(() => this.#uses.delete(use))
    return await deadline.race(use)
  }

  longestWaitMs(): number {
    const [oldest] = this.#waiting
    return oldest ? performance.now() - oldest.sinceMs : 0
  }

  /** Waits for calls under way first: the pool would drop those that wait for a connection. */
  end(): Promise<void> {
    this.#ended ??= Promise.allSettled(this.#uses)
      .then(() => this.#pool.end())
      .then(() => this.#health[Symbol.asyncDispose]())
    return this.#ended
  }

  /** A connection that went silent may stay so when the server is back, so no call may reuse it. */
  #destroyConnections(): void {
    for (const client of this.#clients) client.connection.stream.destroy()
  }

  async #useWithRetries<Result>(work: Work<Result>, deadline: Deadline): Promise<Result> {
    for (let retries = 0; ; retries++) {
      try {
        return await this.#useOnce(work, deadline)
      } catch (error) {
        if (!isConflict(error) || retries === conflictRetriesMax) throw toStoreError(error)
        await delay(backoffMs(retries + 1, { ...conflictBackoff, random: Math.random() }))
      }
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const wait = { sinceMs: performance.now() }
    this.#waiting.add(wait)
    try {
      return await this.#pool.connect()
    } finally {
      this.#waiting.delete(wait)
    }
  }

  async #useOnce<Result>(work: Work<Result>, deadline: Deadline): Promise<Result> {
    const client = await this.#connect()
    let isBroken = false
    try {
      // A call whose deadline has passed is not run.
      return await (deadline.isOver ? deadline.passed : work(client))
    } catch (error) {
      isBroken = isConnectionError(error)
      throw error
    } finally {
      if (!isBroken) this.#health.recordResponse()
      // A connection with an open transaction is closed, not returned to the pool.
      client.release(isBroken || client.getTransactionStatus() !== 'I')
    }
  }
}

type Work<Result> = (client: pg.PoolClient) => Promise<Result>

const downMessage = 'The store does not answer.'
