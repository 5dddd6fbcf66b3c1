import type { Protocol } from 'devtools-protocol'
import type { PageRequestRecord } from '../../../domain/scrape/page.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import type { CollectedResponses, EndedResponse } from './collected-responses.ts'
import { receivedBytesMax } from './read-page.ts'
import type { InterceptedRequest } from './request-interceptor.ts'

type ResourceType = Protocol.Network.ResourceType

interface Request {
  readonly id: string
  /** Who told of it last, and has its body: of a worker's script the page tells, then the worker. */
  session: CdpSession
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

type Answer = EndedResponse['response']

export interface RequestLogOptions {
  /** Whether every request is written down. */
  isKept: boolean
  /** Where the answers to fetch and XHR go, if anybody wants them. */
  answers: CollectedResponses | undefined
  isLoaded(request: InterceptedRequest): boolean
}

const recordsMax = 300
/** Pictures may be written out in their addresses. */
const urlCharactersMax = 8_192

const dataTypes = new Set<ResourceType | undefined>(['XHR', 'Fetch'])

/** What the page and its workers ask for: counted, and written down where the caller wants to know. */
export class RequestLog {
  readonly #page: CdpSession
  readonly #options: RequestLogOptions
  /** By ids that are of one page or worker alone: their process and its own count are in them. */
  readonly #underWay = new Map<string, Request>()
  readonly #records: PageRequestRecord[] = []
  #count = 0
  #dataUnderWay = 0
  #dataQuietSinceMs = performance.now()

  constructor(page: CdpSession, options: RequestLogOptions) {
    this.#page = page
    this.#options = options
    page.on('Page.frameNavigated', ({ frame }) => this.#leaveBefore(frame))
    this.#listenTo(page)
  }

  /** A worker tells of its requests itself, and of none that were under way when it ended. */
  followWorker(worker: CdpSession): void {
    this.#listenTo(worker)
    void worker.whenEnded.then(() => this.#drop((request) => request.session === worker))
    const bytesMax = this.#options.answers ? receivedBytesMax : 0
    worker.post('Network.enable', {
      maxTotalBufferSize: bytesMax,
      maxResourceBufferSize: bytesMax,
    })
  }

  #listenTo(session: CdpSession): void {
    session.on('Network.requestWillBeSent', (event) => this.#onRequest(session, event))
    session.on('Network.responseReceived', ({ requestId, response }) =>
      this.#onAnswer(session, requestId, response),
    )
    session.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
      this.#addBytes(requestId, encodedDataLength)
      this.#onEnd(requestId, timestamp)
    })
    session.on('Network.loadingFailed', ({ requestId, timestamp }) =>
      this.#onEnd(requestId, timestamp),
    )
    this.#listenToSockets(session)
    if (!this.#options.answers) return
    session.on('Network.dataReceived', ({ requestId, dataLength }) => {
      const request = this.#underWay.get(requestId)
      if (request) request.bodyBytes += dataLength
    })
  }

  #listenToSockets(session: CdpSession): void {
    session.on('Network.webSocketCreated', ({ requestId, url }) =>
      this.#begin(session, { requestId, request: { url, method: 'GET' }, type: 'WebSocket' }),
    )
    session.on('Network.webSocketHandshakeResponseReceived', ({ requestId, response }) =>
      this.#onAnswer(session, requestId, response),
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

  #onRequest(session: CdpSession, event: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, type = 'Other', timestamp, redirectResponse } = event
    const before = this.#underWay.get(requestId)
    if (before && redirectResponse) {
      before.response = redirectResponse
      before.bytes = redirectResponse.encodedDataLength
      this.#close(before, timestamp)
    } else {
      if (before) this.#end(before)
      if (dataTypes.has(type)) this.#dataUnderWay += 1
    }
    this.#begin(session, { ...event, type })
  }

  #begin(session: CdpSession, begun: Begun): void {
    const { requestId, loaderId, frameId, request, type, timestamp } = begun
    const { url, method } = request
    const isBlocked = !this.#options.isLoaded({ url, type, frameId })
    if (!isBlocked) this.#countIn(url)
    this.#underWay.set(requestId, {
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

  #countIn(url: string): void {
    if (/^(http|ws)/.test(url)) this.#count += 1
  }

  #onAnswer(session: CdpSession, requestId: string, response: Answer): void {
    const request = this.#underWay.get(requestId)
    if (!request) return
    request.session = session
    request.response = response
    if (!request.isBlocked) return
    // What is answered was not kept from the page: a shared worker cannot be kept from all of it.
    request.isBlocked = false
    this.#countIn(request.url)
  }

  #addBytes(requestId: string, bytes: number): void {
    const request = this.#underWay.get(requestId)
    if (request) request.bytes += bytes
  }

  #onEnd(requestId: string, timestamp: number): void {
    const request = this.#underWay.get(requestId)
    if (!request) return
    this.#end(request, timestamp)
    const { session, url, method, bodyBytes, response } = request
    if (!response || !dataTypes.has(request.type)) return
    this.#options.answers?.add({ session, requestId, url, method, bodyBytes, response })
  }

  /** What a document was still waiting for when it left has no end that anybody is told of. */
  #leaveBefore({ id: frameId, loaderId, parentId }: Protocol.Page.Frame): void {
    this.#drop((request) => {
      const isGone = parentId === undefined || request.frameId === frameId
      return isGone && request.session === this.#page && request.loaderId !== loaderId
    })
  }

  #drop(isGone: (request: Request) => boolean): void {
    for (const request of this.#underWay.values()) if (isGone(request)) this.#end(request)
  }

  #end(request: Request, atSeconds?: number): void {
    this.#underWay.delete(request.id)
    this.#close(request, atSeconds)
    if (!dataTypes.has(request.type)) return
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
