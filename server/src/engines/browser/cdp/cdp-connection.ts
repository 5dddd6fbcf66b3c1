import type { Readable, Writable } from 'node:stream'
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js'
import { CdpMessages } from './cdp-messages.ts'

type Commands = ProtocolMapping.Commands
type Events = ProtocolMapping.Events

/** Talks to one target of the browser, or to the browser itself. */
export interface CdpSession {
  send<Method extends keyof Commands>(
    method: Method,
    ...params: Commands[Method]['paramsType']
  ): Promise<Commands[Method]['returnType']>
  /** Sends and waits for nothing: what comes of it shows elsewhere. */
  post<Method extends keyof Commands>(
    method: Method,
    ...params: Commands[Method]['paramsType']
  ): void
  on<Event extends keyof Events>(event: Event, listener: (params: Events[Event][0]) => void): void
  /** Nothing more is heard of it, and nobody waits for it. */
  end(): void
  readonly whenEnded: Promise<SessionEnd>
}

/**
 * Its target is gone, or we have let go of it; or it is listened to no more, as it would not stop
 * talking or said what nobody was prepared for.
 */
export type SessionEnd = 'closed' | 'flooded' | 'confusing'

/** The browser refused a command, never answered it, or is gone. */
export class CdpError extends Error {
  override name = 'CdpError'
}

/** The browser or the page is, and nothing more will be heard of it. */
export class CdpGone extends CdpError {
  override name = 'CdpGone'
}

/** The answer has more bytes than we take. */
export class CdpTooLarge extends CdpError {
  override name = 'CdpTooLarge'
}

interface PageWait {
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

// For a browser that has stopped answering at all. A page may be long in coming to an answer, and
// whoever waits for that has a deadline of its own.
const answerMsMaxByDefault = 30_000
const overdueLookedForEveryMs = 1_000

/** What a page and its workers have said so far, together. */
export interface Heard {
  events: number
  characters: number
}

/** Some thousand requests' worth. More would keep the browser from telling of other pages. */
const flood = { events: 20_000, characters: 64 * 2 ** 20 }

/** Enough for the largest page and image that we return; whatever sends more must not cost us memory. */
const messageBytesMax = 160 * 2 ** 20

/** The DevTools protocol over the browser's pipe: no port is opened, and sessions share one stream. */
export class CdpConnection {
  readonly #write: Writable
  readonly #waiting = new Map<number, PageWait>()
  readonly #sessions = new Map<string | undefined, Session>()
  readonly #overdueTimer: NodeJS.Timeout
  readonly #answerMsMax: number
  #lastId = 0
  #lastHeardAtMs = performance.now()
  #goneBecause: CdpGone | undefined

  constructor(
    pipe: { write: Writable; read: Readable },
    { answerMsMax = answerMsMaxByDefault }: { answerMsMax?: number } = {},
  ) {
    this.#write = pipe.write
    this.#answerMsMax = answerMsMax
    const messages = new CdpMessages(
      {
        onMessage: (text) => this.#hear(JSON.parse(text), text.length),
        onTooLarge: (beginning, end) => this.#hearTooMuch(beginning, end),
      },
      { bytesMax: messageBytesMax },
    )
    pipe.read.on('data', (chunk: Buffer) => {
      this.#lastHeardAtMs = performance.now()
      messages.add(chunk)
    })
    // Whoever owns the process hears of its end; a pipe that breaks first is no news.
    pipe.read.on('error', () => undefined)
    pipe.write.on('error', () => undefined)
    this.#overdueTimer = setInterval(() => this.#rejectOverdue(), overdueLookedForEveryMs).unref()
  }

  /** Of the browser itself without an id; made on the first mention. */
  session(id?: string, heard: Heard = { events: 0, characters: 0 }): CdpSession {
    const known = this.#sessions.get(id)
    if (known) return known
    const session = new Session({
      send: (method, params) => this.#send(method, params, id),
      post: (method, params) => this.#post(method, params, id),
      forget: () => this.#forget(id, new CdpGone('The session has ended.')),
      heard,
      isOfPage: id !== undefined,
    })
    this.#sessions.set(id, session)
    return session
  }

  /** When the browser last said anything at all. */
  get lastHeardAtMs(): number {
    return this.#lastHeardAtMs
  }

  /** Nobody is left waiting for an answer. */
  end(reason: string): void {
    this.#goneBecause ??= new CdpGone(reason)
    clearInterval(this.#overdueTimer)
    for (const { reject } of this.#waiting.values()) reject(this.#goneBecause)
    this.#waiting.clear()
    this.#sessions.clear()
  }

  #send(method: string, params: unknown, sessionId: string | undefined): Promise<never> {
    if (this.#goneBecause) return Promise.reject(this.#goneBecause)
    return new Promise((resolve, reject) => {
      const isOfPage = sessionId !== undefined
      const deadlineMs = isOfPage ? Infinity : performance.now() + this.#answerMsMax
      const id = this.#post(method, params, sessionId)
      this.#waiting.set(id, { method, sessionId, deadlineMs, resolve, reject })
    })
  }

  #post(method: string, params: unknown, sessionId: string | undefined): number {
    this.#lastId += 1
    const id = this.#lastId
    if (!this.#goneBecause) {
      this.#gather()
      this.#write.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    }
    return id
  }

  /** What is said in one go goes out in one piece: each piece would wake the browser up. */
  #gather(): void {
    if (this.#write.writableCorked > 0) return
    this.#write.cork()
    process.nextTick(() => this.#write.uncork())
  }

  #hear({ id, sessionId, method, params, result, error }: Message, characters: number): void {
    if (id === undefined) {
      if (method !== undefined) this.#sessions.get(sessionId)?.hear(method, params, characters)
      if (method === 'Target.detachedFromTarget') {
        this.#sessions.get((params as Events[typeof method][0]).sessionId)?.end()
      }
      return
    }
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    if (error) waiting.reject(new CdpError(`${waiting.method}: ${error.message}`))
    else waiting.resolve(result as never)
  }

  #hearTooMuch(beginning: string, end: string): void {
    const [, id] = /^\{"id":(\d+),/.exec(beginning) ?? []
    const [, sessionId] = /"sessionId":"(\w+)"\}$/.exec(end) ?? []
    if (id === undefined && sessionId) this.#sessions.get(sessionId)?.end('flooded')
    const waiting = this.#waiting.get(Number(id))
    if (!waiting) return // an event, or nobody's any more
    this.#waiting.delete(Number(id))
    waiting.reject(
      new CdpTooLarge(`${waiting.method} was answered with more than ${messageBytesMax} bytes.`),
    )
  }

  #forget(sessionId: string | undefined, reason: CdpError): void {
    this.#sessions.delete(sessionId)
    for (const [id, waiting] of this.#waiting) {
      if (waiting.sessionId !== sessionId) continue
      this.#waiting.delete(id)
      waiting.reject(reason)
    }
  }

  #rejectOverdue(): void {
    const nowMs = performance.now()
    for (const [id, { method, deadlineMs, reject }] of this.#waiting) {
      if (deadlineMs > nowMs) continue
      this.#waiting.delete(id)
      reject(new CdpError(`${method} was not answered within ${this.#answerMsMax} ms.`))
    }
  }
}

type Listener = (params: never) => void

interface SessionParts {
  send(method: string, params: unknown): Promise<never>
  post(method: string, params: unknown): void
  forget(): void
  heard: Heard
  /** Or of a part of it; the browser itself is heard for as long as it runs. */
  isOfPage: boolean
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

  hear(event: string, params: unknown, characters: number): void {
    const { heard, isOfPage } = this.#parts
    heard.events += 1
    heard.characters += characters
    const isFlood = heard.events > flood.events || heard.characters > flood.characters
    if (isFlood && isOfPage) this.end('flooded')
    try {
      for (const listener of this.#listeners.get(event) ?? []) listener(params as never)
    } catch (error) {
      // Whatever a page brings about, it ends no more than itself.
      if (!isOfPage) throw error
      this.end('confusing')
    }
  }
}
