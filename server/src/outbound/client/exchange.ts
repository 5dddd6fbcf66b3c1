import type { Dispatcher } from 'undici'
import { exchangeProblem, problemThroughProxy } from '../exchange-problem.ts'
import { OutboundError, type OutboundProblem, outboundError } from '../outbound-error.ts'
import {
  isProxyResponse,
  proxyAuthorization,
  relaysRequests,
} from '../upstream-proxy/http-proxy-protocol.ts'
import { BodyBuffer } from './body-buffer.ts'
import { BodyPace } from './body-pace.ts'
import type { OutboundRequest, OutboundResponse } from './http-client.ts'
import type { PooledConnection } from './pooled-connection.ts'

const informationalMax = 10
/** So much of a body is read before memory must be reserved for it; then as much again, as bytes come. */
const unreservedBytesMax = 1_048_576
/** The chunked framing of a body is checked once in so many pieces. */
const piecesPerCheck = 1024
/** Beyond this the chunked framing may not be longer than the body itself. */
const freeFramingBytes = 65_536
/** Read in a round of the event loop. Node would read 2 MB of each connection before anybody else had a turn. */
const roundBytesMax = 65_536

/** One request and its response, as undici reports them. A class, because thousands start per second. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<OutboundResponse>
  readonly #pooled: PooledConnection
  readonly #request: OutboundRequest
  readonly #resolve: (response: OutboundResponse) => void
  readonly #reject: (error: unknown) => void
  #controller: Dispatcher.DispatchController | undefined
  #isSettled = false
  #problem: OutboundProblem | undefined
  #isReused = false
  #statusCode = 0
  #headers: [string, string][] = []
  #body: BodyBuffer | undefined
  #expectedBytes: number | undefined
  #isEndedByClose = false
  #reservedBytes = unreservedBytesMax
  #pace: BodyPace | undefined
  #bytesInRound = 0
  #pauseCount = 0
  #pieces = 0
  #informational = 0
  #bodyTimer: NodeJS.Timeout | undefined
  #sentAtMs = 0
  #firstByteAtMs = 0
  #readBefore = 0
  #wireReadBefore = 0
  #wireWrittenBefore = 0

  constructor(pooled: PooledConnection, request: OutboundRequest) {
    const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>()
    this.response = promise
    this.#pooled = pooled
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    const { method, body, limits, signal } = request
    signal.addEventListener('abort', this)
    pooled.client.dispatch(
      {
        method,
        ...requestLine(request),
        body: body ?? null,
        headersTimeout: limits.headersMs,
        bodyTimeout: limits.idleMs,
      },
      this,
    )
  }

  /** A keep-alive connection was lost before a response: the server had closed it meanwhile. */
  get wasStale(): boolean {
    return this.#isReused && this.#problem === 'unreachable'
  }

  /** Called by the abort signal. */
  handleEvent(): void {
    this.#stop('aborted', this.#request.signal.reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The request was aborted while its connection was being opened.
    if (this.#isSettled) throw outboundError('aborted')
    this.#controller = controller
    const pooled = this.#pooled
    this.#isReused = pooled.exchanges > 0
    pooled.exchanges += 1
    pooled.responses?.expectHead()
    this.#readBefore = pooled.connection?.socket.bytesRead ?? 0
    // The bytes of opening the connection count for the exchange that it was opened for.
    if (this.#isReused) {
      this.#wireReadBefore = pooled.wire?.bytesRead ?? 0
      this.#wireWrittenBefore = pooled.wire?.bytesWritten ?? 0
    }
    this.#sentAtMs = performance.now()
  }

  onResponseStarted(): void {
    if (this.#firstByteAtMs === 0) this.#firstByteAtMs = performance.now()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#isSettled) return
    if (statusCode < 200) {
      this.#informational += 1
      if (this.#informational > informationalMax) this.#stop('bad_response')
      return
    }
    const { headerBytesMax, bodyBytesMax, bodyMs, isBodyCut } = this.#request.limits
    const list = listHeaders(headers, headerBytesMax)
    const expectedBytes = expectedLength(headers['content-length'])
    if (isRelayed(this.#request) && isProxyResponse(statusCode, headers)) {
      this.#stop('proxy', new Error(`The proxy answered with ${statusCode}.`))
    } else if (statusCode > 599 || list === undefined) {
      this.#stop('bad_response')
    } else if (expectedBytes !== undefined && expectedBytes > bodyBytesMax && !isBodyCut) {
      this.#stop('too_large')
    } else {
      this.#statusCode = statusCode
      this.#headers = list
      this.#expectedBytes = expectedBytes
      this.#isEndedByClose = isEndedByClose(statusCode, headers)
      this.#body = new BodyBuffer(expectedBytes && Math.min(expectedBytes, bodyBytesMax))
      if (bodyMs === undefined) return
      this.#bodyTimer = setTimeout(() => this.#endBody('timeout'), bodyMs)
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    const body = this.#body
    if (this.#isSettled || !body) return
    const { headerBytesMax, bodyBytesMax } = this.#request.limits
    const bytesLeft = bodyBytesMax - body.length
    body.add(piece.length > bytesLeft ? piece.subarray(0, bytesLeft) : piece)
    this.#pieces += 1
    // A chunk of one byte is six bytes on the wire, and as much work as one of a thousand bytes.
    const isCheckDue = this.#pieces % piecesPerCheck === 0
    const framingBytesMax = headerBytesMax + freeFramingBytes + body.length
    const isFramingTooLarge = isCheckDue && this.#received() - body.length > framingBytesMax
    if (piece.length > bytesLeft || isFramingTooLarge) this.#endBody('too_large')
    else {
      if (body.length > this.#reservedBytes) this.#reserveMemory(body)
      this.#bytesInRound += piece.length
      if (this.#bytesInRound >= roundBytesMax) this.#awaitNextRound()
    }
  }

  #awaitNextRound(): void {
    this.#bytesInRound = 0
    this.#pause()
    setImmediate(() => this.#resume())
  }

  #pause(): void {
    this.#pauseCount += 1
    this.#controller?.pause()
  }

  #resume(): void {
    this.#pauseCount -= 1
    if (this.#pauseCount === 0 && !this.#isSettled) this.#controller?.resume()
  }

  /** Pauses reading (backpressure) until memory is granted; the target's timeouts do not run meanwhile. */
  #reserveMemory(body: BodyBuffer): void {
    const { memory, limits } = this.#request
    const claim = Math.min(this.#expectedBytes ?? limits.bodyBytesMax, limits.bodyBytesMax)
    const bytes = memory ? Math.min(claim, 2 * body.length) : limits.bodyBytesMax
    this.#reservedBytes = bytes
    if (!memory) return
    this.#pace ??= new BodyPace(
      () => body.length,
      () => memory.isWanted() && this.#stop('timeout'),
    )
    this.#pace[Symbol.dispose]()
    this.#pause()
    void memory.reserve(bytes, claim).then(() => {
      if (this.#isSettled) return
      this.#resume()
      this.#pace?.start()
    })
  }

  onResponseEnd(): void {
    if (!this.#isSettled) this.#resolve(this.#finish())
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isSettled) return
    const problem = exchangeProblem(error, this.#firstByteAtMs > 0)
    const isCut = problem !== undefined && this.#body && this.#request.limits.isBodyCut
    if (isCut) this.#resolve(this.#finish())
    else this.#fail(problem, error)
  }

  /** At a limit of the body: the exchange ends with the bytes read so far, or fails. */
  #endBody(problem: OutboundProblem): void {
    if (this.#isSettled) return
    if (this.#request.limits.isBodyCut) {
      this.#resolve(this.#finish())
      this.#controller?.abort(outboundError(problem))
    } else {
      this.#stop(problem)
    }
  }

  #stop(problem: OutboundProblem, cause?: unknown): void {
    if (this.#isSettled) return
    this.#fail(problem, cause)
    this.#controller?.abort(outboundError(problem))
  }

  #fail(problem: OutboundProblem | undefined, cause: unknown): void {
    this.#settle()
    this.#problem = problem
    const reported = this.#request.proxy ? this.#throughProxy(problem, cause) : problem
    const isKnown = cause instanceof OutboundError && cause.problem === reported
    this.#reject(isKnown || reported === undefined ? cause : outboundError(reported, cause))
  }

  #throughProxy(problem: OutboundProblem | undefined, error: unknown): typeof problem {
    const hasHead = this.#body !== undefined
    return problemThroughProxy(problem, { error, isRelayed: isRelayed(this.#request), hasHead })
  }

  #settle(): void {
    this.#isSettled = true
    this.#request.signal.removeEventListener('abort', this)
    clearTimeout(this.#bodyTimer)
    this.#pace?.[Symbol.dispose]()
  }

  /** Excludes the overhead of TLS: a server may use records as small as it likes. */
  #received(): number {
    return (this.#pooled.connection?.socket.bytesRead ?? 0) - this.#readBefore
  }

  #finish(): OutboundResponse {
    this.#settle()
    // The body is complete: it needs no more than it has.
    if (this.#pace && this.#body) void this.#request.memory?.reserve(this.#body.length)
    const { connection, wire } = this.#pooled
    const timings = this.#isReused ? noTimings : (connection?.timings ?? noTimings)
    return {
      statusCode: this.#statusCode,
      headers: this.#headers,
      body: this.#body?.take() ?? new Uint8Array(),
      isEndedByClose: this.#isEndedByClose,
      timings: {
        dnsMs: timings.dnsMs,
        connectMs: timings.connectMs,
        tlsMs: timings.tlsMs,
        firstByteMs: this.#firstByteAtMs - this.#sentAtMs,
        downloadMs: performance.now() - this.#firstByteAtMs,
      },
      bytes: {
        sent: (wire?.bytesWritten ?? 0) - this.#wireWrittenBefore,
        received: (wire?.bytesRead ?? 0) - this.#wireReadBefore,
      },
    }
  }
}

/** A request that an HTTP proxy relays has the absolute URL and the proxy's credentials. */
function requestLine(
  request: OutboundRequest,
): Pick<Dispatcher.DispatchOptions, 'path' | 'headers'> {
  const { url, headers, proxy } = request
  const path = url.pathname + url.search
  if (!isRelayed(request)) return { path, headers }
  const authorization = proxy?.user && { 'proxy-authorization': proxyAuthorization(proxy.user) }
  return { path: url.origin + path, headers: { ...headers, ...authorization } }
}

const isRelayed = ({ url, proxy }: OutboundRequest): boolean =>
  relaysRequests(proxy) && url.protocol === 'http:'

const noTimings = { dnsMs: 0, connectMs: 0, tlsMs: 0 }

/** Undefined if they are too large: undici's own count leaves out the separators. */
function listHeaders(
  headers: Record<string, string | string[] | undefined>,
  bytesMax: number,
): [string, string][] | undefined {
  const list: [string, string][] = []
  let bytes = 0
  for (const name of Object.keys(headers)) {
    const given = headers[name]
    for (const value of typeof given === 'string' ? [given] : (given ?? [])) {
      list.push([name, value])
      bytes += name.length + value.length + 4
    }
  }
  return bytes > bytesMax ? undefined : list
}

const isEndedByClose = (
  statusCode: number,
  headers: Record<string, string | string[] | undefined>,
): boolean =>
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  statusCode !== 204 &&
  statusCode !== 304

const expectedLength = (header: string | string[] | undefined): number | undefined =>
  typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
