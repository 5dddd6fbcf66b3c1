import { randomUUIDv7 } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'
import { Failure } from '../domain/failure.ts'
import { toProblem } from './problem.ts'
import { strictHeaders } from './response-headers.ts'

// Node's own limit for request line and headers together.
const requestHeadBytesMax = 16_384

// Closing while more comes in could take the answer along; this long, what comes is dropped.
const lingeringMs = 1_000
const answered = new WeakSet<Socket>()

/** Answers what never became a request: broken, endless or too slow. There is no Fastify yet. */
export function answerClientError(error: ConnectionError, socket: Socket): void {
  if (answered.has(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  endWith(socket, failureOf(error))
}

/** The last word on a connection, said in a way that it is heard. */
export function endWith(
  socket: Socket,
  failure: Failure,
  correlationId: string = randomUUIDv7(),
): void {
  answered.add(socket)
  socket.on('error', () => undefined)
  socket.resume()
  socket.end(toRawAnswer(failure, correlationId))
  setTimeout(() => socket.destroy(), lingeringMs).unref()
}

/** A whole answer, where there is nobody to write it for us. */
function toRawAnswer(failure: Failure, correlationId: string): string {
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

/** The parser does not say which part was too long: a packet with no line end is all request line. */
function isInRequestLine(rawPacket: unknown): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const start = rawPacket.toString('latin1', 0, requestHeadBytesMax)
  return /^[A-Z]+ /.test(start) && !start.includes('\n')
}
