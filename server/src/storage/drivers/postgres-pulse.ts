import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../runtime/log.ts'

// Looks are counted, not time: a process that was held up itself has looked only once meanwhile.
const lookEveryMs = 80
const silentLooksBeforeAsking = 3
const silentLooksMax = 9
// A command that is over sooner needs no connection for this.
const firstAskedAfterMs = 1_000
const answerMsMax = 2_000
const returnAskedForEveryMs = 200

/**
 * Knows whether the server is there. A slow call is no sign: its commit may wait for a disk, its
 * statement for a lock. So when calls wait and nothing at all is heard, a question that needs neither
 * is asked on a connection kept for it. If that stays unanswered too, the server is gone, and is
 * asked again until it is back.
 */
export class PostgresPulse implements AsyncDisposable {
  readonly #config: pg.ClientConfig
  readonly #log: Log
  readonly #onGone: () => void
  readonly #closing = new AbortController()
  readonly #waiting = new Set<() => void>()
  readonly #firstAsked: NodeJS.Timeout
  #looking: NodeJS.Timeout | undefined
  #silentLooks = 0
  #client: pg.Client | undefined
  #asking: Promise<void> | undefined
  #isGone = false

  constructor(config: pg.ClientConfig, { log, onGone }: { log: Log; onGone(): void }) {
    this.#config = {
      ...config,
      connectionTimeoutMillis: answerMsMax,
      query_timeout: answerMsMax,
    }
    this.#log = log
    this.#onGone = onGone
    this.#firstAsked = setTimeout(() => this.#ask(), firstAskedAfterMs).unref()
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** The call is given up when the server is found to be gone. */
  watch(giveUp: () => void): Disposable {
    // What was heard before the first of them began says nothing about it.
    if (this.#waiting.size === 0) this.#silentLooks = 0
    this.#waiting.add(giveUp)
    this.#looking ??= setInterval(() => this.#look(), lookEveryMs).unref()
    return { [Symbol.dispose]: () => void this.#waiting.delete(giveUp) }
  }

  /** Any answer will do, a refusal too. */
  hear(): void {
    this.#silentLooks = 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#firstAsked)
    clearInterval(this.#looking)
    this.#hangUp()
    await this.#asking
    this.#hangUp()
  }

  #look(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#looking)
      this.#looking = undefined
      return
    }
    this.#silentLooks += 1
    if (this.#silentLooks === silentLooksBeforeAsking) this.#ask()
    if (this.#silentLooks >= silentLooksMax && !this.#isGone) this.#giveUp()
  }

  #giveUp(): void {
    this.#log.error('PostgreSQL does not answer; callers are told so until it does.')
    this.#isGone = true
    for (const giveUp of this.#waiting) giveUp()
    this.#ask()
  }

  #ask(): void {
    this.#asking ??= this.#askOnce().finally(() => {
      this.#asking = undefined
      if (this.#isGone && !this.#closing.signal.aborted) this.#ask()
    })
  }

  async #askOnce(): Promise<void> {
    if (this.#closing.signal.aborted) return
    try {
      const client = this.#client ?? (await this.#connect())
      await client.query('select 1')
      this.hear()
      if (this.#isGone) this.#log.warn('PostgreSQL answers again.')
      this.#isGone = false
    } catch (error) {
      this.#log.debug({ err: error }, 'PostgreSQL was asked and did not answer well.')
      this.#hangUp()
      // Only now: a server that is merely slow goes on with what it was asked.
      if (this.#isGone) this.#onGone()
      if (error instanceof pg.DatabaseError) this.hear()
      const { signal } = this.#closing
      if (this.#isGone) await delay(returnAskedForEveryMs, undefined, { signal }).catch(() => {})
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

  /** At once: a polite end would wait for the server. */
  #hangUp(): void {
    this.#client?.connection.stream.destroy()
    this.#client = undefined
  }
}
