import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { storeUnavailable } from '../store-unavailable.ts'
import { isConflict, isConnectionError, toStoreError } from './postgres-errors.ts'

// Long enough for a busy moment, short enough that a caller hears of an outage.
const connectionWaitMsMax = 5_000
const connectionIdleMsMax = 30_000
const conflictRetriesMax = 5

/** The pool. Errors come out of it in the words of the store; a conflict is tried again first. */
export class PostgresConnections {
  readonly #pool: pg.Pool
  readonly #uses = new Set<Promise<unknown>>()
  #ended: Promise<void> | undefined

  constructor(
    config: pg.ClientConfig,
    { connectionsMax, log }: { connectionsMax: number; log: Log },
  ) {
    this.#pool = new pg.Pool({
      ...config,
      max: connectionsMax,
      connectionTimeoutMillis: connectionWaitMsMax,
      idleTimeoutMillis: connectionIdleMsMax,
    })
    this.#pool.on('error', (error) => log.debug({ err: error }, 'An idle connection broke.'))
    // What breaks a connection in use reaches the caller through the query it breaks.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** Lends one connection for the work, which may be done more than once, but not too late. */
  async use<Result>(work: Work<Result>, deadlineMs: number): Promise<Result> {
    if (this.#ended !== undefined) throw storeUnavailable('The store is closed.')
    using deadline = startDeadline(deadlineMs)
    const use = this.#useWithRetries(work, deadline)
    this.#uses.add(use)
    void use.catch(() => {}).finally(() => this.#uses.delete(use))
    return await Promise.race([use, deadline.passed])
  }

  /** The pool alone would forget who is still waiting for a connection. */
  end(): Promise<void> {
    this.#ended ??= Promise.allSettled(this.#uses).then(() => this.#pool.end())
    return this.#ended
  }

  async #useWithRetries<Result>(work: Work<Result>, deadline: Deadline): Promise<Result> {
    for (let retries = 0; ; retries++) {
      try {
        return await this.#useOnce(work, deadline)
      } catch (error) {
        if (!isConflict(error) || retries === conflictRetriesMax) throw toStoreError(error)
        await delay(Math.random() * 10 * 2 ** retries)
      }
    }
  }

  async #useOnce<Result>(work: Work<Result>, deadline: Deadline): Promise<Result> {
    const client = await this.#pool.connect()
    let isBroken = false
    try {
      // What nobody waits for any more is not done.
      return await (deadline.isPassed() ? deadline.passed : work(client))
    } catch (error) {
      isBroken = isConnectionError(error)
      throw error
    } finally {
      // Nobody may inherit an open transaction.
      client.release(isBroken || client.getTransactionStatus() !== 'I')
    }
  }
}

type Work<Result> = (client: pg.PoolClient) => Promise<Result>

interface Deadline extends Disposable {
  readonly passed: Promise<never>
  isPassed(): boolean
}

function startDeadline(deadlineMs: number): Deadline {
  const { promise: passed, reject } = Promise.withResolvers<never>()
  let isPassed = false
  const timer = setTimeout(() => {
    isPassed = true
    reject(storeUnavailable(`The store did not answer within ${deadlineMs} ms.`))
  }, deadlineMs)
  return { passed, isPassed: () => isPassed, [Symbol.dispose]: () => clearTimeout(timer) }
}
