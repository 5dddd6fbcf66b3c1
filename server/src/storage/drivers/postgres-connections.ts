import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { backoffMs } from '../../domain/backoff.ts'
import { Deadline } from '../../runtime/deadline.ts'
import type { Log } from '../../runtime/log.ts'
import { storeUnavailable } from '../store-unavailable.ts'
import { isConflict, isConnectionError, toStoreError } from './postgres-errors.ts'
import { PostgresPulse } from './postgres-pulse.ts'

// Long enough for a busy moment, short enough that a caller hears of an outage.
const connectionWaitMsMax = 5_000
const connectionIdleMsMax = 30_000
const conflictRetriesMax = 5
// Those who got into each other's way are spread over the whole pause.
const conflictBackoff = { firstMs: 5, msMax: 160, spread: 1 }

/** The pool. Errors come out of it in the words of the store; a conflict is tried again first. */
export class PostgresConnections {
  readonly #pool: pg.Pool
  readonly #pulse: PostgresPulse
  readonly #clients = new Set<pg.Client>()
  readonly #uses = new Set<Promise<unknown>>()
  /** Who waits for a connection, first come first. */
  readonly #waiting = new Set<{ sinceMs: number }>()
  #ended: Promise<void> | undefined

  constructor(
    config: pg.ClientConfig,
    { connectionsMax, log, onGone }: { connectionsMax: number; log: Log; onGone(): void },
  ) {
    this.#pool = new pg.Pool({
      ...config,
      max: connectionsMax,
      connectionTimeoutMillis: connectionWaitMsMax,
      idleTimeoutMillis: connectionIdleMsMax,
    })
    this.#pool.on('error', (error) => log.debug({ err: error }, 'An idle connection broke.'))
    // What breaks a connection in use reaches the caller through the query it breaks.
    this.#pool.on('connect', (client) => {
      client.on('error', () => {})
      this.#pulse.hear()
      this.#clients.add(client)
      client.once('end', () => this.#clients.delete(client))
    })
    this.#pulse = new PostgresPulse(config, {
      log,
      onGone: () => {
        this.#cutConnections()
        onGone()
      },
    })
  }

  /** Lends one connection for the work, which may be done more than once, but not too late. */
  async use<Result>(work: Work<Result>, deadlineMs: number): Promise<Result> {
    if (this.#ended !== undefined) throw storeUnavailable('The store is closed.')
    if (this.#pulse.isGone) throw storeUnavailable(goneMessage)
    using deadline = new Deadline({
      ms: deadlineMs,
      late: () => storeUnavailable(`The store did not answer within ${deadlineMs} ms.`),
    })
    using _watch = this.#pulse.watch(() => deadline.end(storeUnavailable(goneMessage)))
    const use = this.#useWithRetries(work, deadline)
    this.#uses.add(use)
    void use.catch(() => {}).finally(() => this.#uses.delete(use))
    return await deadline.race(use)
  }

  longestWaitMs(): number {
    const [oldest] = this.#waiting
    return oldest ? performance.now() - oldest.sinceMs : 0
  }

  /** The pool alone would forget who is still waiting for a connection. */
  end(): Promise<void> {
    this.#ended ??= Promise.allSettled(this.#uses)
      .then(() => this.#pool.end())
      .then(() => this.#pulse[Symbol.asyncDispose]())
    return this.#ended
  }

  /** A way that went silent may stay so when the server is back; nobody is to wait on it again. */
  #cutConnections(): void {
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
      // What nobody waits for any more is not done.
      return await (deadline.isOver ? deadline.passed : work(client))
    } catch (error) {
      isBroken = isConnectionError(error)
      throw error
    } finally {
      if (!isBroken) this.#pulse.hear()
      // Nobody may inherit an open transaction.
      client.release(isBroken || client.getTransactionStatus() !== 'I')
    }
  }
}

type Work<Result> = (client: pg.PoolClient) => Promise<Result>

const goneMessage = 'The store does not answer.'
