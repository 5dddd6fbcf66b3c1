import {
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  request as startRequest,
} from 'node:http'
import { exchangeProblem } from './exchange-problem.ts'
import type { ExitConnections } from './exit-connections.ts'
import { answerHeaders, type RequestHeaders, requestHeaders } from './exit-headers.ts'
import type { ExitProblems } from './exit-problems.ts'
import { type PlainTarget, readAbsoluteForm } from './exit-target.ts'
import { outboundError } from './http-client.ts'

interface ForwardingParts {
  connections: ExitConnections
  problems: ExitProblems
  /** Of the answer. */
  headerBytesMax: number
}

interface Forwarding extends ForwardingParts {
  request: IncomingMessage
  response: ServerResponse
  target: PlainTarget
  headers: RequestHeaders
}

const informationalMax = 10
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Carries one `http:` request to its target and the answer back. Where it is refused or fails the
 * connection is closed without an answer: the browser then reports an error, and shows no page of ours.
 */
export function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  parts: ForwardingParts,
): void {
  const target = readAbsoluteForm(request.url ?? '')
  if (!target) {
    answerBadRequest(response)
  } else if (!parts.connections.isReachable(target)) {
    request.socket.destroy()
  } else {
    const headers = requestHeaders(request.rawHeaders, target.authority)
    if (headers) {
      send({ ...parts, request, response, target, headers })
    } else {
      parts.problems.remember(target, 'not_allowed')
      request.socket.destroy()
    }
  }
}

function answerBadRequest(response: ServerResponse): void {
  response.sendDate = false
  response.writeHead(400, { connection: 'close', 'content-length': 0 }).end()
}

function send(forwarding: Forwarding): void {
  const upstream = startUpstream(forwarding)
  if (!upstream) {
    answerBadRequest(forwarding.response)
    return
  }
  bringAnswer(forwarding, upstream)
  const { request, response, headers } = forwarding
  response.once('close', () => {
    if (!response.writableFinished) upstream.destroy()
  })
  if (headers.hasBody) {
    request.pipe(upstream)
    // What the target did not want to read is read here, or the next request would never be seen.
    upstream.once('close', () => request.resume())
  } else {
    upstream.end()
  }
}

/** Undefined for what Node would not send. */
function startUpstream(forwarding: Forwarding): ClientRequest | undefined {
  const { request, connections, target, headers, headerBytesMax } = forwarding
  try {
    const upstream = startRequest({
      agent: connections.agent,
      host: target.host,
      port: target.port,
      method: request.method,
      path: target.path,
      headers: headers.list,
      setDefaultHeaders: false,
      maxHeaderSize: headerBytesMax,
    })
    // Their size is limited. Beyond a number of them Node would leave some out without a word.
    upstream.maxHeadersCount = 0
    return upstream
  } catch {
    return undefined
  }
}

function bringAnswer(forwarding: Forwarding, upstream: ClientRequest): void {
  let answer: IncomingMessage | undefined
  let informational = 0

  upstream.on('response', (incoming) => {
    answer = incoming
    incoming.on('error', (error) => fail(forwarding, error, true))
    try {
      relay(incoming, forwarding)
    } catch (error) {
      fail(forwarding, outboundError('bad_response', error), true)
    }
  })
  upstream.on('information', () => {
    informational += 1
    if (informational > informationalMax) upstream.destroy(outboundError('bad_response'))
  })
  upstream.on('upgrade', (_incoming, socket) => {
    socket.destroy()
    fail(forwarding, outboundError('bad_response'), true)
  })
  upstream.on('error', (error) => {
    // Where the answer is whole it does not matter what becomes of the rest of the request.
    if (answer?.complete) return
    if (!answer && wasStale(upstream, error) && mayRepeat(forwarding)) sendAgain(forwarding)
    else fail(forwarding, error, answer !== undefined || hasAnswered(upstream))
  })
}

/** Throws where the head is too large, or has characters that may not be passed on. */
function relay(answer: IncomingMessage, { response, headerBytesMax }: Forwarding): void {
  const { statusCode = 0, statusMessage, rawHeaders } = answer
  const headers = answerHeaders(rawHeaders, headerBytesMax)
  if (!headers) throw outboundError('bad_response')
  response.sendDate = false
  response.removeHeader('connection')
  response.writeHead(statusCode, statusMessage, headers)
  answer.pipe(response)
  // Headers leave with the first piece of the body, unless that is long in coming.
  setImmediate(flushHead, response)
}

function flushHead(response: ServerResponse): void {
  if (!response.writableEnded && !response.destroyed) response.flushHeaders()
}

/** A kept connection was lost before an answer: its other end had closed it meanwhile. */
const wasStale = (upstream: ClientRequest, error: Error): boolean =>
  upstream.reusedSocket && exchangeProblem(error, false) === 'unreachable'

const mayRepeat = ({ request, headers }: Forwarding): boolean =>
  !request.socket.destroyed && !headers.hasBody && repeatable.has(request.method ?? '')

function sendAgain(forwarding: Forwarding): void {
  forwarding.connections.closeKept(forwarding.target)
  send(forwarding)
}

/** Bytes that were no answer yet. What a kept connection has brought may belong to earlier answers. */
const hasAnswered = ({ socket, reusedSocket }: ClientRequest): boolean =>
  !reusedSocket && (socket?.bytesRead ?? 0) > 0

function fail(forwarding: Forwarding, error: Error, hasAnswerBegun: boolean): void {
  const { request, response, problems, target } = forwarding
  // The browser has what it wanted, has gone, or has been hung up on already.
  if (response.writableFinished || request.socket.destroyed) return
  problems.remember(target, exchangeProblem(error, hasAnswerBegun) ?? 'bad_response')
  request.socket.destroy()
}
