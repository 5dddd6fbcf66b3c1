import type { Readable, Writable } from 'node:stream'
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js'
import { CdpMessages } from './cdp-messages.ts'

type Commands = ProtocolMapping.Commands
type Events = ProtocolMapping.Events

/** A DevTools session with one target (a page or a worker), or with the browser itself. */
export interface CdpSession {
  send<Method extends keyof Commands>(
    method: Method,
    ...params: Commands[Method]['paramsType']
  ): Promise<Commands[Method]['returnType']>
  /** Sends a command without waiting for its result. */
  post<Method extends keyof Commands>(
    method: Method,
    ...params: Commands[Method]['paramsType']
  ): void
  on<Event extends keyof Events>(event: Event, listener: (params: Events[Event][0]) => void): void
  /** Removes all listeners and rejects all pending commands. */
  end(): void
  readonly whenEnded: Promise<SessionEnd>
}

/** `closed`: by us or with its target; `flooded`: too many events; `failed`: a listener threw. */
export type SessionEnd = 'closed' | 'flooded' | 'failed'

/** The browser rejected a command, did not answer it in time, or has closed the connection. */
export class CdpError extends Error {
  override name = 'CdpError'
}

/** The browser has exited, or the session has ended. */
export class CdpClosed extends CdpError {
  override name = 'CdpClosed'
}

/** The response to a command is larger than `answerBytesMax`. */
export class CdpTooLarge extends CdpError {
  override name = 'CdpTooLarge'
}

interface PendingCommand {
  method: string
  sessionId: string | undefined
  deadlineMs: number
  resolve(result: never): void
  reject(error: Error): void
}

interface Message {
  id?: number
  sessionId?: string
  method?: string
  params?: unknown
  result?: unknown
  error?: { message: string }
}

// The timeout for commands to the browser itself. Commands to a page have none: a busy page answers
// late, and its visit has a deadline of its own.
const responseMsMaxByDefault = 30_000
const overdueCheckIntervalMs = 1_000

/** Events that a page and its workers have sent so far, together. */
export interface EventTotals {
  events: number
  characters: number
}

/** Enough for thousands of requests. All pages share one pipe, so more would delay other pages. */
const eventLimits = { events: 20_000, characters: 64 * 2 ** 20 }

const messageLimits = {
  /** Enough for the largest page and image that we return; larger messages are discarded. */
  answerBytesMax: 160 * 2 ** 20,
  /** Reading a larger one, such as the request for a long `data:` URL, would hold up all that the process does. */
  eventBytesMax: 8 * 2 ** 20,
}

/** The Chrome DevTools Protocol (CDP) over a pipe that all sessions share; no port is opened. */
export class CdpConnection {
  readonly #write: Writable
  readonly #pending = new Map<number, PendingCommand>()
  readonly #sessions = new Map<string | undefined, Session>()
  readonly #overdueTimer: NodeJS.Timeout
  readonly #responseMsMax: number
  #lastId = 0
  #messageCount = 0
  #closedBecause: CdpClosed | undefined

  constructor(
    pipe: { write: Writable; read: Readable },
    { responseMsMax = responseMsMaxByDefault }: { responseMsMax?: number } = {},
  ) {
    this.#write = pipe.write
    this.#responseMsMax = responseMsMax
    const messages = new CdpMessages(
      {
        onMessage: (text) => this.#onMessage(JSON.parse(text), text.length),
        onTooLarge: (...message) => this.#onOversizedMessage(...message),
      },
      messageLimits,
    )
    pipe.read.on('data', (chunk: Buffer) => {
      this.#messageCount += 1
      messages.add(chunk)
    })
    // A broken pipe means that the browser has exited, which its process reports.
    pipe.read.on('error', () => undefined)
    pipe.write.on('error', () => undefined)
    this.#overdueTimer = setInterval(() => this.#rejectOverdue(), overdueCheckIntervalMs).unref()
  }

  /** The session with this id, created on first use; without an id, that of the browser itself. */
  session(id?: string, eventTotals: EventTotals = { events: 0, characters: 0 }): CdpSession {
    const known = this.#sessions.get(id)
    if (known) return known
    const session = new Session({
      send: (method, params) => this.#send(method, params, id),
      post: (method, params) => this.#post(method, params, id),
      forget: () => this.#forget(id, new CdpClosed('The session has ended.')),
      eventTotals,
      isPage: id !== undefined,
    })
    this.#sessions.set(id, session)
    return session
  }

  /** How many parts of messages the browser has sent: shows whether it is stuck. */
  get messageCount(): number {
    return this.#messageCount
  }

  end(reason: string): void {
    this.#closedBecause ??= new CdpClosed(reason)
    clearInterval(this.#overdueTimer)
    for (const { reject } of this.#pending.values()) reject(this.#closedBecause)
    this.#pending.clear()
    this.#sessions.clear()
  }

  #send(method: string, params: unknown, sessionId: string | undefined): Promise<never> {
    if (this.#closedBecause) return Promise.reject(this.#closedBecause)
    return new Promise((resolve, reject) => {
      const isPage = sessionId !== undefined
      const deadlineMs = isPage ? Infinity : performance.now() + this.#responseMsMax
      const id = this.#post(method, params, sessionId)
      this.#pending.set(id, { method, sessionId, deadlineMs, resolve, reject })
    })
  }

  #post(method: string, params: unknown, sessionId: string | undefined): number {
    this.#lastId += 1
    const id = this.#lastId
    if (!this.#closedBecause) {
      this.#batchWrites()
      this.#write.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    }
    return id
  }

  /** Commands of one tick go out in one write: each write would wake up the browser. */
  #batchWrites(): void {
    if (this.#write.writableCorked > 0) return
    this.#write.cork()
    process.nextTick(() => this.#write.uncork())
  }

  #onMessage({ id, sessionId, method, params, result, error }: Message, characters: number): void {
    if (id === undefined) {
      if (method !== undefined) this.#sessions.get(sessionId)?.dispatch(method, params, characters)
      if (method === 'Target.detachedFromTarget') {
        this.#sessions.get((params as Events[typeof method][0]).sessionId)?.end()
      }
      return
    }
    const command = this.#pending.get(id)
    if (!command) return
    this.#pending.delete(id)
    if (error) command.reject(new CdpError(`${command.method}: ${error.message}`))
    else command.resolve(result as never)
  }

  /** An event counts for its page, but nobody hears of it. */
  #onOversizedMessage(beginning: string, end: string, bytes: number): void {
    const [, id] = /^\{"id":(\d+),/.exec(beginning) ?? []
    const [, sessionId] = /"sessionId":"(\w+)"\}$/.exec(end) ?? []
    if (id === undefined && sessionId) this.#sessions.get(sessionId)?.count(bytes)
    const command = this.#pending.get(Number(id))
    if (!command) return // an event, or a command that was given up
    this.#pending.delete(Number(id))
    command.reject(
      new CdpTooLarge(
        `${command.method}: the response has more than ${messageLimits.answerBytesMax} bytes.`,
      ),
    )
  }

  #forget(sessionId: string | undefined, reason: CdpError): void {
    this.#sessions.delete(sessionId)
    for (const [id, command] of this.#pending) {
      if (command.sessionId !== sessionId) continue
      this.#pending.delete(id)
      command.reject(reason)
    }
  }

  #rejectOverdue(): void {
    const nowMs = performance.now()
    for (const [id, { method, deadlineMs, reject }] of this.#pending) {
      if (deadlineMs > nowMs) continue
      this.#pending.delete(id)
      reject(new CdpError(`${method} was not answered within ${this.#responseMsMax} ms.`))
    }
  }
}

type Listener = (params: never) => void

interface SessionParts {
  send(method: string, params: unknown): Promise<never>
  post(method: string, params: unknown): void
  forget(): void
  eventTotals: EventTotals
  /** A page or its worker. The limits on events do not apply to the browser itself. */
  isPage: boolean
}

class Session implements CdpSession {
  readonly #parts: SessionParts
  readonly #listeners = new Map<string, Listener[]>()
  readonly #ended = Promise.withResolvers<SessionEnd>()

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  get whenEnded(): Promise<SessionEnd> {
    return this.#ended.promise
  }

  send(method: string, params?: unknown): Promise<never> {
    return this.#parts.send(method, params)
  }

  post(method: string, params?: unknown): void {
    this.#parts.post(method, params)
  }

  on(event: string, listener: Listener): void {
    const listeners = this.#listeners.get(event)
    if (listeners) listeners.push(listener)
    else this.#listeners.set(event, [listener])
  }

  end(why: SessionEnd = 'closed'): void {
    this.#listeners.clear()
    this.#ended.resolve(why)
    this.#parts.forget()
  }

  /** Counts an event, which ends the session if there are too many. */
  count(characters: number): void {
    const { eventTotals: totals, isPage } = this.#parts
    totals.events += 1
    totals.characters += characters
    const isFlood = totals.events > eventLimits.events || totals.characters > eventLimits.characters
    if (isFlood && isPage) this.end('flooded')
  }

  dispatch(event: string, params: unknown, characters: number): void {
    this.count(characters)
    try {
      for (const listener of this.#listeners.get(event) ?? []) listener(params as never)
    } catch (error) {
      // An unexpected event of one page ends that page, not the process.
      if (!this.#parts.isPage) throw error
      this.end('failed')
    }
  }
}
