import type { Dispatcher } from 'undici'
import { exchangeProblem, problemThrough } from '../exchange-problem.ts'
import { OutboundError, type OutboundProblem, outboundError } from '../outbound-error.ts'
import {
  isProxyResponse,
  proxyAuthorization,
  relaysRequests,
} from '../upstream-proxy/http-proxy-protocol.ts'
import { BodyBuffer } from './body-buffer.ts'
import type { OutboundRequest, OutboundResponse } from './http-client.ts'
import type { PooledConnection } from './pooled-connection.ts'

const informationalMax = 10
/** So much of a body is read without asking whether there is room. */
const unaskedBytes = 1_048_576
/** The framing of a body is looked at once in so many pieces. */
const piecesPerLook = 1024
/** Beyond this the framing of a body may not be longer than the body. */
const freeFramingBytes = 65_536

/** One request and its answer, as undici reports them. A class, because thousands begin in a second. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<OutboundResponse>
  readonly #line: PooledConnection
  readonly #request: OutboundRequest
  readonly #resolve: (answer: OutboundResponse) => void
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
  #hasAskedForRoom = false
  #pieces = 0
  #informational = 0
  #bodyTimer: NodeJS.Timeout | undefined
  #sentAtMs = 0
  #firstByteAtMs = 0
  #readBefore = 0
  #wireReadBefore = 0
  #wireWrittenBefore = 0

  constructor(line: PooledConnection, request: OutboundRequest) {
    const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>()
    this.answer = promise
    this.#line = line
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    const { method, body, limits, signal } = request
    signal.addEventListener('abort', this)
    line.client.dispatch(
      {
        method,
        ...wording(request),
        body: body ?? null,
        headersTimeout: limits.headersMs,
        bodyTimeout: limits.idleMs,
      },
      this,
    )
  }

  /** A kept connection was lost before an answer: its other end had closed it meanwhile. */
  get wasStale(): boolean {
    return this.#isReused && this.#problem === 'unreachable'
  }

  /** The signal's. */
  handleEvent(): void {
    this.#stop('aborted', this.#request.signal.reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while its connection was being opened.
    if (this.#isSettled) throw outboundError('aborted')
    this.#controller = controller
    const line = this.#line
    this.#isReused = line.exchanges > 0
    line.exchanges += 1
    line.responses?.expectHead()
    this.#readBefore = line.connection?.socket.bytesRead ?? 0
    // What it took to open the connection is counted for whom it was opened.
    if (this.#isReused) {
      this.#wireReadBefore = line.wire?.bytesRead ?? 0
      this.#wireWrittenBefore = line.wire?.bytesWritten ?? 0
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
      this.#stop('proxy', new Error(`It answered with ${statusCode}.`))
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
    const room = bodyBytesMax - body.length
    body.add(piece.length > room ? piece.subarray(0, room) : piece)
    this.#pieces += 1
    // Chunks of one byte are six on the wire, and each is as much work as one of a thousand.
    const isLook = this.#pieces % piecesPerLook === 0
    const framingBytesMax = headerBytesMax + freeFramingBytes + body.length
    const isFramingTooLarge = isLook && this.#received() - body.length > framingBytesMax
    if (piece.length > room || isFramingTooLarge) this.#endBody('too_large')
    else if (body.length > unaskedBytes && !this.#hasAskedForRoom) this.#askForRoom(body)
  }

  /** The connection is left unread meanwhile; the times that are the target's do not run on. */
  #askForRoom(body: BodyBuffer): void {
    this.#hasAskedForRoom = true
    const { reserveMemory: askForRoom, limits } = this.#request
    if (!askForRoom) return
    const bytes = this.#expectedBytes ?? limits.bodyBytesMax
    this.#controller?.pause()
    void askForRoom(bytes).then(() => {
      if (this.#isSettled) return
      body.expect(bytes)
      this.#controller?.resume()
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

  /** At one of the body's limits: what has come is the answer, or there is none. */
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
    const told = this.#request.proxy ? this.#throughProxy(problem, cause) : problem
    const isKnown = cause instanceof OutboundError && cause.problem === told
    this.#reject(isKnown || told === undefined ? cause : outboundError(told, cause))
  }

  #throughProxy(problem: OutboundProblem | undefined, error: unknown): typeof problem {
    const hasHead = this.#body !== undefined
    return problemThrough(problem, { error, isRelayed: isRelayed(this.#request), hasHead })
  }

  #settle(): void {
    this.#isSettled = true
    this.#request.signal.removeEventListener('abort', this)
    clearTimeout(this.#bodyTimer)
  }

  /** Without what TLS adds: a server may send it in pieces as small as it likes. */
  #received(): number {
    return (this.#line.connection?.socket.bytesRead ?? 0) - this.#readBefore
  }

  #finish(): OutboundResponse {
    this.#settle()
    const { connection, wire } = this.#line
    const timings = this.#isReused ? unopened : (connection?.timings ?? unopened)
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

/** Where an HTTP proxy passes requests on, it is told in each of them whom it is for and who asks. */
function wording(request: OutboundRequest): Pick<Dispatcher.DispatchOptions, 'path' | 'headers'> {
  const { url, headers, proxy } = request
  const path = url.pathname + url.search
  if (!isRelayed(request)) return { path, headers }
  const authorization = proxy?.user && { 'proxy-authorization': proxyAuthorization(proxy.user) }
  return { path: url.origin + path, headers: { ...headers, ...authorization } }
}

const isRelayed = ({ url, proxy }: OutboundRequest): boolean =>
  relaysRequests(proxy) && url.protocol === 'http:'

const unopened = { dnsMs: 0, connectMs: 0, tlsMs: 0 }

/** Undefined where they are too many: undici's own count leaves out what stands between them. */
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
