import type { Protocol } from 'devtools-protocol'
import type { PageRequestRecord } from '../../../domain/scrape/page.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import type { CollectedResponses, EndedResponse } from './collected-responses.ts'
import { receivedBytesMax } from './read-page.ts'
import type { InterceptedRequest } from './request-interceptor.ts'

type ResourceType = Protocol.Network.ResourceType

interface Request {
  readonly id: string
  /** The session that reported it last and has its body: a worker's script is reported by both. */
  session: CdpSession
  /** The document that sent it, and that document's frame. */
  readonly loaderId: string | undefined
  readonly frameId: string | undefined
  readonly url: string
  readonly method: string
  readonly type: ResourceType
  readonly startedAtMs: number
  /** Monotonic time of the browser; not known for WebSockets. */
  readonly startedAtSeconds: number | undefined
  response: ReportedResponse | undefined
  bytes: number
  /** The decoded size of the body; counted only when responses are collected. */
  bodyBytes: number
  isBlocked: boolean
}

/** As the browser reports it; WebSockets come with fewer fields. */
interface StartedRequest {
  requestId: string
  loaderId?: string
  frameId?: string
  request: { url: string; method: string }
  type: ResourceType
  timestamp?: number
}

type ReportedResponse = EndedResponse['response']

export interface RequestLogOptions {
  /** Whether each request is recorded, for the option `debug`. */
  isRecorded: boolean
  /** Gets the responses to fetch and XHR, if the caller wants them. */
  collected: CollectedResponses | undefined
  mayLoad(request: InterceptedRequest): boolean
}

const recordsMax = 300
/** A `data:` URL may have a whole image in it. */
const urlCharactersMax = 8_192

const dataTypes = new Set<ResourceType | undefined>(['XHR', 'Fetch'])

/** Counts the requests of the page and its workers, and records them on demand. */
export class RequestLog {
  readonly #page: CdpSession
  readonly #options: RequestLogOptions
  /** By request id. Pages and workers share no ids: each id has its process and a counter in it. */
  readonly #pending = new Map<string, Request>()
  readonly #records: PageRequestRecord[] = []
  readonly #openedAtMs = performance.now()
  #count = 0
  #pendingData = 0
  #dataQuietSinceMs = performance.now()

  constructor(page: CdpSession, options: RequestLogOptions) {
    this.#page = page
    this.#options = options
    page.on('Page.frameNavigated', ({ frame }) => this.#dropOfPreviousDocument(frame))
    this.#listenTo(page)
  }

  /** A worker reports its own requests, but not the end of those that are pending when it ends. */
  followWorker(worker: CdpSession): void {
    this.#listenTo(worker)
    void worker.whenEnded.then(() => this.#drop((request) => request.session === worker))
    const bytesMax = this.#options.collected ? receivedBytesMax : 0
    worker.post('Network.enable', {
      maxTotalBufferSize: bytesMax,
      maxResourceBufferSize: bytesMax,
    })
  }

  #listenTo(session: CdpSession): void {
    session.on('Network.requestWillBeSent', (event) => this.#onRequest(session, event))
    session.on('Network.responseReceived', ({ requestId, response }) =>
      this.#onResponse(session, requestId, response),
    )
    session.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
      this.#addBytes(requestId, encodedDataLength)
      this.#onEnd(requestId, timestamp)
    })
    session.on('Network.loadingFailed', ({ requestId, timestamp }) =>
      this.#onEnd(requestId, timestamp),
    )
    this.#listenToSockets(session)
    if (!this.#options.collected) return
    session.on('Network.dataReceived', ({ requestId, dataLength }) => {
      const request = this.#pending.get(requestId)
      if (request) request.bodyBytes += dataLength
    })
  }

  #listenToSockets(session: CdpSession): void {
    session.on('Network.webSocketCreated', ({ requestId, url }) =>
      this.#add(session, { requestId, request: { url, method: 'GET' }, type: 'WebSocket' }),
    )
    session.on('Network.webSocketHandshakeResponseReceived', ({ requestId, response }) =>
      this.#onResponse(session, requestId, response),
    )
    session.on('Network.webSocketFrameReceived', ({ requestId, response }) => {
      const encoding = response.opcode === 1 ? 'utf8' : 'base64'
      this.#addBytes(requestId, Buffer.byteLength(response.payloadData, encoding))
    })
    session.on('Network.webSocketClosed', ({ requestId, timestamp }) =>
      this.#onEnd(requestId, timestamp),
    )
  }

  /** Requests that were sent, redirects included. */
  get count(): number {
    return this.#count
  }

  get records(): PageRequestRecord[] {
    const pending = this.#options.isRecorded ? [...this.#pending.values()] : []
    return [...this.#records, ...pending.map((request) => this.#recordOf(request))].slice(
      0,
      recordsMax,
    )
  }

  /** For how long no fetch or XHR has been pending. */
  dataQuietMs(): number {
    return this.#pendingData > 0 ? 0 : performance.now() - this.#dataQuietSinceMs
  }

  #onRequest(session: CdpSession, event: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, type = 'Other', timestamp, redirectResponse } = event
    if (isTabIcon(event)) return
    const before = this.#pending.get(requestId)
    if (before && redirectResponse) {
      before.response = redirectResponse
      before.bytes = redirectResponse.encodedDataLength
      this.#record(before, timestamp)
    } else {
      if (before) this.#end(before)
      if (dataTypes.has(type)) this.#pendingData += 1
    }
    this.#add(session, { ...event, type })
  }

  #add(session: CdpSession, started: StartedRequest): void {
    const { requestId, loaderId, frameId, request, type, timestamp } = started
    const { url, method } = request
    const isBlocked = !this.#options.mayLoad({ url, type, frameId })
    if (!isBlocked) this.#countRequest(url)
    this.#pending.set(requestId, {
      id: requestId,
      session,
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

  #countRequest(url: string): void {
    if (/^(http|ws)/.test(url)) this.#count += 1
  }

  #onResponse(session: CdpSession, requestId: string, response: ReportedResponse): void {
    const request = this.#pending.get(requestId)
    if (!request) return
    request.session = session
    request.response = response
    if (!request.isBlocked) return
    // A response shows that the request was not blocked: those of shared workers cannot all be.
    request.isBlocked = false
    this.#countRequest(request.url)
  }

  #addBytes(requestId: string, bytes: number): void {
    const request = this.#pending.get(requestId)
    if (request) request.bytes += bytes
  }

  #onEnd(requestId: string, timestamp: number): void {
    const request = this.#pending.get(requestId)
    if (!request) return
    this.#end(request, timestamp)
    const { session, url, method, bodyBytes, response } = request
    if (!response || !dataTypes.has(request.type)) return
    this.#options.collected?.add({ session, requestId, url, method, bodyBytes, response })
  }

  /** The browser never reports the end of requests whose document was left meanwhile. */
  #dropOfPreviousDocument({ id: frameId, loaderId, parentId }: Protocol.Page.Frame): void {
    this.#drop((request) => {
      const isGone = parentId === undefined || request.frameId === frameId
      return isGone && request.session === this.#page && request.loaderId !== loaderId
    })
  }

  #drop(isGone: (request: Request) => boolean): void {
    for (const request of this.#pending.values()) if (isGone(request)) this.#end(request)
  }

  #end(request: Request, atSeconds?: number): void {
    this.#pending.delete(request.id)
    this.#record(request, atSeconds)
    if (!dataTypes.has(request.type)) return
    this.#pendingData -= 1
    this.#dataQuietSinceMs = performance.now()
  }

  #record(request: Request, atSeconds?: number): void {
    if (!this.#options.isRecorded || this.#records.length === recordsMax) return
    this.#records.push(this.#recordOf(request, atSeconds))
  }
  /** Without an end, the duration is that so far. */
  #recordOf(request: Request, endedAtSeconds?: number): PageRequestRecord {
    const { url, type, response, bytes, startedAtMs, startedAtSeconds, isBlocked } = request
    return {
      url,
      type: type.toLowerCase(),
      statusCode: response?.status ?? null,
      bytes,
      startedMs: startedAtMs - this.#openedAtMs,
      durationMs:
        endedAtSeconds === undefined || startedAtSeconds === undefined
          ? performance.now() - startedAtMs
          : (endedAtSeconds - startedAtSeconds) * 1_000,
      isBlocked,
    }
  }
}

/** Neither markup nor script has asked for it; the interceptor refuses it. */
const isTabIcon = ({ type, initiator }: Protocol.Network.RequestWillBeSentEvent): boolean =>
  type === 'Other' && initiator.type === 'other'
