import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { backoffMs } from '../../domain/backoff.ts'
import type { Log } from '../../runtime/log.ts'
import { quietInOutages } from '../outages/quiet-in-outages.ts'
import type { NoticeListeners } from './notice-listeners.ts'
import { toStoreError } from './postgres-errors.ts'

// The jitter keeps processes from reconnecting all at once after an outage.
const reconnectBackoff = { firstMs: 100, msMax: 5_000, spread: 0.3 }

/** A connection for LISTEN, opened with the first subscription and again, with backoff, when it fails. */
export class PostgresListener {
  readonly #config: pg.ClientConfig
  readonly #listeners: NoticeListeners
  readonly #log: Log
  readonly #closing = new AbortController()
  readonly #activeByChannel = new Map<string, PromiseWithResolvers<void>>()
  #client: pg.Client | undefined
  #keepingUp: Promise<void> | undefined

  constructor(config: pg.ClientConfig, { listeners, log }: ListenerParts) {
    this.#config = config
    this.#listeners = listeners
    this.#log = quietInOutages(log)
  }

  /** Resolves once the server sends this channel's notifications here. */
  subscribe(channel: string): Promise<void> {
    const known = this.#activeByChannel.get(channel)
    if (known) return known.promise
    const active = Promise.withResolvers<void>()
    this.#activeByChannel.set(channel, active)
    if (this.#client) void this.#listenOn(this.#client, channel)
    this.#keepingUp ??= this.#keepUp()
    return active.promise
  }

  unsubscribe(channel: string): void {
    this.#activeByChannel.delete(channel)
    void this.#client?.query(`unlisten ${pg.escapeIdentifier(channel)}`).catch(() => {})
  }

  /** For a connection that went silent; another is opened. */
  destroyConnection(): void {
    this.#client?.connection.stream.destroy()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#client?.end()
    await this.#keepingUp
  }

  async #keepUp(): Promise<void> {
    let failuresInARow = 0
    while (!this.#closing.signal.aborted) {
      try {
        await this.#connectUntilBroken(() => {
          failuresInARow = 0
        })
      } catch (error) {
        const err = toStoreError(error)
        this.#log.warn({ err }, 'The connection for notifications failed; reconnecting.')
      }
      failuresInARow += 1
      const waitMs = backoffMs(failuresInARow, { ...reconnectBackoff, random: Math.random() })
      await delay(waitMs, undefined, { signal: this.#closing.signal }).catch(() => {})
    }
  }

  async #connectUntilBroken(onConnected: () => void): Promise<void> {
    const client = new pg.Client(this.#config)
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    client.on('error', (error) => this.#log.debug({ err: error }, 'Notification connection error.'))
    client.on('notification', ({ channel, payload = '' }) =>
      this.#listeners.deliver(channel, payload),
    )
    await client.connect()
    try {
      if (this.#closing.signal.aborted) return
      this.#client = client
      onConnected()
      for (const channel of this.#activeByChannel.keys()) void this.#listenOn(client, channel)
      await ended
    } finally {
      this.#client = undefined
      await client.end()
    }
  }

  async #listenOn(client: pg.Client, channel: string): Promise<void> {
    try {
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      this.#activeByChannel.get(channel)?.resolve()
    } catch (error) {
      // The connection failed; the next one listens again.
      this.#log.debug({ err: error, channel }, 'Failed to listen on a notification channel.')
    }
  }
}

interface ListenerParts {
  readonly listeners: NoticeListeners
  readonly log: Log
}
