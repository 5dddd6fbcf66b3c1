import {
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  request as startRequest,
} from 'node:http'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import { exchangeProblem, problemThrough } from '../exchange-problem.ts'
import { outboundError } from '../outbound-error.ts'
import {
  isProxyResponse,
  proxyAuthorization,
  relaysRequests,
} from '../upstream-proxy/http-proxy-protocol.ts'
import {
  type RequestHeaders,
  requestHeaders,
  responseHeaders,
} from './forwarded-message-headers.ts'
import { challengeHeaders, foreignChallenge } from './proxy-auth.ts'
import { type PlainTarget, readAbsoluteForm } from './request-target.ts'
import type { TargetConnections } from './target-connections.ts'
import type { TargetProblems } from './target-problems.ts'

interface ForwardingParts {
  connections: TargetConnections
  problems: TargetProblems
  /** Of the answer. */
  headerBytesMax: number
  proxy: ProxyRoute | undefined
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

/** For a request that came without the exit's credentials. */
export function challengeRequest(response: ServerResponse): void {
  response.sendDate = false
  response.writeHead(407, challengeHeaders).end()
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
  const { request, connections, target, headerBytesMax } = forwarding
  try {
    const upstream = startRequest({
      agent: connections.agent,
      host: target.host,
      port: target.port,
      method: request.method,
      ...wording(forwarding),
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

/** Where an HTTP proxy passes requests on, it is told in each of them whom it is for and who asks. */
function wording({ target, headers, proxy }: Forwarding): { path: string; headers: string[] } {
  if (!relaysRequests(proxy)) return { path: target.path, headers: headers.list }
  const { user } = proxy
  const own = user ? ['Proxy-Authorization', proxyAuthorization(user)] : []
  return { path: `http://${target.authority}${target.path}`, headers: [...headers.list, ...own] }
}

function bringAnswer(forwarding: Forwarding, upstream: ClientRequest): void {
  let answer: IncomingMessage | undefined
  let informational = 0
  let readBefore = 0

  upstream.once('socket', ({ bytesRead }) => {
    readBefore = bytesRead
  })
  upstream.on('response', (incoming) => {
    answer = incoming
    incoming.on('error', (error) => fail(forwarding, error, answered))
    try {
      relay(incoming, forwarding)
    } catch (error) {
      fail(forwarding, error as Error, answered)
    }
  })
  upstream.on('information', () => {
    informational += 1
    if (informational > informationalMax) upstream.destroy(outboundError('bad_response'))
  })
  upstream.on('upgrade', (_incoming, socket) => {
    socket.destroy()
    fail(forwarding, outboundError('bad_response'), answered)
  })
  upstream.on('error', (error) => {
    // Where the answer is whole it does not matter what becomes of the rest of the request.
    if (answer?.complete) return
    if (!answer && wasStale(upstream, error) && mayRepeat(forwarding)) sendAgain(forwarding)
    else
      fail(
        forwarding,
        error,
        answer ? answered : { hasBegun: hasBrought(upstream, readBefore), hasHead: false },
      )
  })
}

/** Throws where the head is too large, or has characters that may not be passed on, or is not the target's. */
function relay(answer: IncomingMessage, { response, headerBytesMax, proxy }: Forwarding): void {
  const { statusCode = 0, statusMessage, rawHeaders } = answer
  if (relaysRequests(proxy) && isProxyResponse(statusCode, answer.headers))
    throw outboundError('proxy')
  const headers = responseHeaders(rawHeaders, headerBytesMax)
  if (!headers) throw outboundError('bad_response')
  response.sendDate = false
  response.removeHeader('connection')
  if (statusCode === 407) headers.push(...foreignChallenge)
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

/** Bytes that were no answer yet. What it had brought before belongs to earlier answers, or to a proxy. */
const hasBrought = ({ socket }: ClientRequest, readBefore: number): boolean =>
  (socket?.bytesRead ?? 0) > readBefore

interface AnswerSoFar {
  hasBegun: boolean
  hasHead: boolean
}

const answered: AnswerSoFar = { hasBegun: true, hasHead: true }

function fail(forwarding: Forwarding, error: Error, { hasBegun, hasHead }: AnswerSoFar): void {
  const { request, response, connections, problems, target, proxy } = forwarding
  // The browser has what it wanted, has gone, or has been hung up on already.
  if (response.writableFinished || request.socket.destroyed) return
  const problem = exchangeProblem(error, hasBegun) ?? 'bad_response'
  const isRelayed = relaysRequests(proxy)
  const told = proxy ? problemThrough(problem, { error, isRelayed, hasHead }) : problem
  problems.remember(target, told)
  connections.proxyWatch?.doubt(target)
  request.socket.destroy()
}
