import type { Protocol } from 'devtools-protocol'
import type { PageRequestRecord } from '../../domain/page.ts'
import type { CdpSession } from './cdp-connection.ts'
import type { CollectedAnswers, EndedAnswer } from './collected-answers.ts'
import type { PageRequest } from './request-gate.ts'

type ResourceType = Protocol.Network.ResourceType

interface Request {
  readonly id: string
  /** Of which document it is, and in which frame that is. */
  readonly loaderId: string | undefined
  readonly frameId: string | undefined
  readonly url: string
  readonly method: string
  readonly type: ResourceType
  readonly startedAtMs: number
  /** By the browser's clock, which is not told of every request. */
  readonly startedAtSeconds: number | undefined
  response: Answer | undefined
  bytes: number
  /** Of the body, decoded; only where answers are collected. */
  bodyBytes: number
  isBlocked: boolean
}

/** As the browser tells of it; of a WebSocket it tells less. */
interface Begun {
  requestId: string
  loaderId?: string
  frameId?: string
  request: { url: string; method: string }
  type: ResourceType
  timestamp?: number
}

type Answer = EndedAnswer['response']

export interface RequestLogOptions {
  /** Whether every request is written down. */
  isKept: boolean
  /** Where the answers to fetch and XHR go, if anybody wants them. */
  answers: CollectedAnswers | undefined
  isLoaded(request: PageRequest): boolean
}

const recordsMax = 300
/** Pictures may be written out in their addresses. */
const urlCharactersMax = 8_192

const dataTypes = new Set<ResourceType | undefined>(['XHR', 'Fetch'])

/** What the page asks for: counted, and written down where the caller wants to know. */
export class RequestLog {
  readonly #session: CdpSession
  readonly #options: RequestLogOptions
  readonly #underWay = new Map<string, Request>()
  readonly #records: PageRequestRecord[] = []
  #count = 0
  #dataUnderWay = 0
  #dataQuietSinceMs = performance.now()

  constructor(session: CdpSession, options: RequestLogOptions) {
    this.#session = session
    this.#options = options
    session.on('Network.requestWillBeSent', (event) => this.#onRequest(event))
    session.on('Network.responseReceived', ({ requestId, response }) =>
      this.#onAnswer(requestId, response),
    )
    session.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
      this.#addBytes(requestId, encodedDataLength)
      this.#onEnd(requestId, timestamp)
    })
    session.on('Network.loadingFailed', ({ requestId, timestamp }) =>
      this.#onEnd(requestId, timestamp),
    )
    session.on('Page.frameNavigated', ({ frame }) => this.#leaveBefore(frame))
    this.#followSockets()
    if (!options.answers) return
    session.on('Network.dataReceived', ({ requestId, dataLength }) => {
      const request = this.#underWay.get(requestId)
      if (request) request.bodyBytes += dataLength
    })
  }

  #followSockets(): void {
    const session = this.#session
    session.on('Network.webSocketCreated', ({ requestId, url }) =>
      this.#begin({ requestId, request: { url, method: 'GET' }, type: 'WebSocket' }),
    )
    session.on('Network.webSocketHandshakeResponseReceived', ({ requestId, response }) =>
      this.#onAnswer(requestId, response),
    )
    session.on('Network.webSocketFrameReceived', ({ requestId, response }) => {
      const encoding = response.opcode === 1 ? 'utf8' : 'base64'
      this.#addBytes(requestId, Buffer.byteLength(response.payloadData, encoding))
    })
    session.on('Network.webSocketClosed', ({ requestId, timestamp }) =>
      this.#onEnd(requestId, timestamp),
    )
  }

  /** Requests that went out, redirects included. */
  get count(): number {
    return this.#count
  }

  /** Those that are under way come last. */
  get records(): PageRequestRecord[] {
    const underWay = this.#options.isKept ? [...this.#underWay.values()] : []
    return [...this.#records, ...underWay.map((request) => recordOf(request))].slice(0, recordsMax)
  }

  /** For how long no fetch or XHR has been under way. */
  dataQuietMs(): number {
    return this.#dataUnderWay > 0 ? 0 : performance.now() - this.#dataQuietSinceMs
  }

  #onRequest(event: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, type = 'Other', timestamp, redirectResponse } = event
    const before = this.#underWay.get(requestId)
    if (before && redirectResponse) {
      before.response = redirectResponse
      before.bytes = redirectResponse.encodedDataLength
      this.#close(before, timestamp)
    } else if (dataTypes.has(type)) this.#dataUnderWay += 1
    this.#begin({ ...event, type })
  }

  #begin({ requestId, loaderId, frameId, request: { url, method }, type, timestamp }: Begun): void {
    const isBlocked = !this.#options.isLoaded({ url, type, frameId })
    if (!isBlocked && /^(http|ws)/.test(url)) this.#count += 1
    this.#underWay.set(requestId, {
      id: requestId,
      loaderId,
      frameId,
      url: url.slice(0, urlCharactersMax),
      method,
      type,
      startedAtMs: performance.now(),
      startedAtSeconds: timestamp,
      response: undefined,
      bytes: 0,
      bodyBytes: 0,
      isBlocked,
    })
  }

  #onAnswer(requestId: string, response: Answer): void {
    const request = this.#underWay.get(requestId)
    if (request) request.response = response
  }

  #addBytes(requestId: string, bytes: number): void {
    const request = this.#underWay.get(requestId)
    if (request) request.bytes += bytes
  }

  #onEnd(requestId: string, timestamp: number): void {
    const request = this.#underWay.get(requestId)
    if (!request) return
    this.#underWay.delete(requestId)
    this.#close(request, timestamp)
    if (!dataTypes.has(request.type)) return
    this.#endData()
    const { url, method, bodyBytes, response } = request
    if (!response) return
    const session = this.#session
    this.#options.answers?.add({ session, requestId, url, method, bodyBytes, response })
  }

  /** What a document was still waiting for when it left has no end that anybody is told of. */
  #leaveBefore({ id: frameId, loaderId, parentId }: Protocol.Page.Frame): void {
    for (const request of this.#underWay.values()) {
      const isGone = parentId === undefined || request.frameId === frameId
      if (!isGone || request.loaderId === loaderId) continue
      this.#underWay.delete(request.id)
      this.#close(request)
      if (dataTypes.has(request.type)) this.#endData()
    }
  }

  #endData(): void {
    this.#dataUnderWay -= 1
    this.#dataQuietSinceMs = performance.now()
  }

  #close(request: Request, atSeconds?: number): void {
    if (!this.#options.isKept || this.#records.length === recordsMax) return
    this.#records.push(recordOf(request, atSeconds))
  }
}

/** Of one that has not come to its end: so far. */
function recordOf(request: Request, endedAtSeconds?: number): PageRequestRecord {
  const { url, type, response, bytes, startedAtMs, startedAtSeconds, isBlocked } = request
  return {
    url,
    type: type.toLowerCase(),
    statusCode: response?.status ?? null,
    bytes,
    durationMs:
      endedAtSeconds === undefined || startedAtSeconds === undefined
        ? performance.now() - startedAtMs
        : (endedAtSeconds - startedAtSeconds) * 1_000,
    isBlocked,
  }
}
