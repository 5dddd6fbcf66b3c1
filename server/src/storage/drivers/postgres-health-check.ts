import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../runtime/log.ts'

// Checks are counted, not time: a process whose event loop was blocked has checked only once meanwhile.
const checkIntervalMs = 80
const silentChecksBeforeProbe = 3
const silentChecksMax = 9
// A short command ends before this and opens no extra connection.
const firstProbeAfterMs = 1_000
const probeMsMax = 2_000
const retryIntervalMs = 200

/**
 * Detects an outage of the server. A slow call is no proof: its commit may wait for a disk, its
 * statement for a lock. So while calls wait and no response at all arrives, a probe that needs neither
 * is sent on a connection of its own. If the probe gets no response either, the server counts as down,
 * and is probed until it responds.
 */
export class PostgresHealthCheck implements AsyncDisposable {
  readonly #config: pg.ClientConfig
  readonly #log: Log
  readonly #onDown: () => void
  readonly #closing = new AbortController()
  readonly #waiting = new Set<() => void>()
  readonly #firstProbe: NodeJS.Timeout
  #checkTimer: NodeJS.Timeout | undefined
  #silentChecks = 0
  #client: pg.Client | undefined
  #probing: Promise<void> | undefined
  #isDown = false

  constructor(config: pg.ClientConfig, { log, onDown }: { log: Log; onDown(): void }) {
    this.#config = {
      ...config,
      connectionTimeoutMillis: probeMsMax,
      query_timeout: probeMsMax,
    }
    this.#log = log
    this.#onDown = onDown
    this.#firstProbe = setTimeout(() => this.#probe(), firstProbeAfterMs).unref()
  }

  get isDown(): boolean {
    return this.#isDown
  }

  /** Calls `failCall` when the server is found to be down. */
  watch(failCall: () => void): Disposable {
    // Silence before the first waiting call means nothing.
    if (this.#waiting.size === 0) this.#silentChecks = 0
    this.#waiting.add(failCall)
    this.#checkTimer ??= setInterval(() => this.#check(), checkIntervalMs).unref()
    return { [Symbol.dispose]: () => void this.#waiting.delete(failCall) }
  }

  /** The server has responded, be it with an error. */
  recordResponse(): void {
    this.#silentChecks = 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#firstProbe)
    clearInterval(this.#checkTimer)
    this.#disconnect()
    await this.#probing
    this.#disconnect()
  }

  #check(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#checkTimer)
      this.#checkTimer = undefined
      return
    }
    this.#silentChecks += 1
    if (this.#silentChecks === silentChecksBeforeProbe) this.#probe()
    if (this.#silentChecks >= silentChecksMax && !this.#isDown) this.#declareDown()
  }

  #declareDown(): void {
    this.#log.debug('PostgreSQL does not answer; calls fail until it does.')
    this.#isDown = true
    for (const failCall of this.#waiting) failCall()
    this.#probe()
  }

  #probe(): void {
    this.#probing ??= this.#probeOnce().finally(() => {
      this.#probing = undefined
      if (this.#isDown && !this.#closing.signal.aborted) this.#probe()
    })
  }

  async #probeOnce(): Promise<void> {
    if (this.#closing.signal.aborted) return
    try {
      const client = this.#client ?? (await this.#connect())
      await client.query('select 1')
      this.recordResponse()
      if (this.#isDown) this.#log.debug('PostgreSQL answers again.')
      this.#isDown = false
    } catch (error) {
      this.#log.debug({ err: error }, 'The probe of PostgreSQL failed.')
      this.#disconnect()
      // Connections are destroyed only after a failed probe: a slow server finishes its calls.
      if (this.#isDown) this.#onDown()
      if (error instanceof pg.DatabaseError) this.recordResponse()
      const { signal } = this.#closing
      if (this.#isDown) await delay(retryIntervalMs, undefined, { signal }).catch(() => {})
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    this.#client = client
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined
    })
    return await client.connect()
  }

  /** Destroys the socket: `end` would wait for the server. */
  #disconnect(): void {
    this.#client?.connection.stream.destroy()
    this.#client = undefined
  }
}
