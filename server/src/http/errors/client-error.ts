import { randomUUIDv7 } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyReply } from 'fastify'
import { Failure } from '../../domain/failure.ts'
import { isLargeBody } from '../requests/bodies-in-flight.ts'
import { strictHeaders } from '../responses/security-headers.ts'
import { toProblem } from './problem.ts'

// Node's own limit for request line and headers together.
const requestHeadBytesMax = 16_384

// Closing a socket with unread input resets it and may lose the response, so input is discarded this long.
const lingeringMs = 1_000
/** Between two reads of bodies that are discarded, whichever: 64 KiB each. */
const discardPauseMs = 2
const responded = new WeakSet<Socket>()

/** Responds to input that never became a request: malformed, too large or too slow. Fastify never sees it. */
export function handleClientError(error: ConnectionError, socket: Socket): void {
  if (responded.has(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  respondAndClose(socket, failureOf(error))
}

/** Writes an error response to the socket and closes it after the caller could read it. */
export function respondAndClose(
  socket: Socket,
  failure: Failure,
  correlationId: string = randomUUIDv7(),
): void {
  responded.add(socket)
  socket.on('error', () => undefined)
  socket.resume()
  socket.end(toRawResponse(failure, correlationId))
  destroyLater(socket)
}

/**
 * Lets a caller read the response to a request whose body was refused before all of it arrived. Large ones
 * are read slowly, or callers without a key could keep the event loop busy with bytes that nobody wants.
 */
export function lingerAfterResponse(request: IncomingMessage, reply: FastifyReply): void {
  if (request.complete) return
  const { socket } = request
  if (isLargeBody(request.headers)) {
    reply.header('connection', 'close')
    discardSlowly(request)
  } else request.resume()
  // What Node calls after a response with `connection: close`; its own destroys the socket at once.
  socket.destroySoon = () => {
    socket.end()
    destroyLater(socket)
  }
}

let discardsAgainAtMs = 0

function discardSlowly(request: IncomingMessage): void {
  request.on('data', () => {
    request.pause()
    const nowMs = performance.now()
    discardsAgainAtMs = Math.max(nowMs, discardsAgainAtMs) + discardPauseMs
    setTimeout(() => request.resume(), discardsAgainAtMs - nowMs).unref()
  })
}

function destroyLater(socket: Socket): void {
  setTimeout(() => socket.destroy(), lingeringMs).unref()
}

/** A complete HTTP response as text, for sockets that no framework serves. */
function toRawResponse(failure: Failure, correlationId: string): string {
  const { status, headers, body } = toProblem(failure, correlationId)
  const text = JSON.stringify(body)
  const lines = Object.entries({
    ...strictHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'x-request-id': body.correlation_id,
    ...headers,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`
}

function failureOf(error: ConnectionError): Failure {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Failure('REQUEST_TIMEOUT', 'The request did not arrive in time. Send it faster.')
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return isInRequestLine(error.rawPacket)
      ? new Failure('URI_TOO_LONG', 'The request line is too long.')
      : new Failure('HEADERS_TOO_LARGE', 'The request headers are too large.')
  }
  return new Failure('BAD_REQUEST', 'This is not a well-formed HTTP/1.1 request.')
}

/** The parser does not say which part was too long; a packet without a line end is all request line. */
function isInRequestLine(rawPacket: unknown): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const start = rawPacket.toString('latin1', 0, requestHeadBytesMax)
  return /^[A-Z]+ /.test(start) && !start.includes('\n')
}
