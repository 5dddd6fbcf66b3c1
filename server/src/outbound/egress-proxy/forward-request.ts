import {
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  request as startRequest,
} from 'node:http'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import { exchangeProblem, problemThroughProxy } from '../exchange-problem.ts'
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
import { pipePaced } from './paced-pipe.ts'
import { challengeHeaders, foreignChallenge } from './proxy-auth.ts'
import { type PlainTarget, readAbsoluteForm } from './request-target.ts'
import type { TargetConnections } from './target-connections.ts'
import type { TargetProblems } from './target-problems.ts'

interface ForwardingParts {
  connections: TargetConnections
  problems: TargetProblems
  /** The limit for the response's headers. */
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
 * Forwards one `http:` request to its target and relays the response. If it is refused or fails, the connection
 * is closed without a response, so that the browser reports an error and shows no page of ours.
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

/** Answers a request without the egress proxy's credentials. */
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
  relayResponse(forwarding, upstream)
  const { request, response, headers } = forwarding
  response.once('close', () => {
    if (!response.writableFinished) upstream.destroy()
  })
  if (headers.hasBody) {
    request.pipe(upstream)
    // Reads what the target left unread: otherwise the next request would never be seen.
    upstream.once('close', () => request.resume())
  } else {
    upstream.end()
  }
}

/** Undefined if Node refuses to send the request. */
function startUpstream(forwarding: Forwarding): ClientRequest | undefined {
  const { request, connections, target, headerBytesMax } = forwarding
  try {
    const upstream = startRequest({
      agent: connections.agent,
      host: target.host,
      port: target.port,
      method: request.method,
      ...requestLine(forwarding),
      setDefaultHeaders: false,
      maxHeaderSize: headerBytesMax,
    })
    // Only their size is limited: beyond a count Node would drop headers silently.
    upstream.maxHeadersCount = 0
    return upstream
  } catch {
    return undefined
  }
}

/** A request that an HTTP proxy relays has the absolute URL and the proxy's credentials. */
function requestLine({ target, headers, proxy }: Forwarding): { path: string; headers: string[] } {
  if (!relaysRequests(proxy)) return { path: target.path, headers: headers.list }
  const { user } = proxy
  const own = user ? ['Proxy-Authorization', proxyAuthorization(user)] : []
  return { path: `http://${target.authority}${target.path}`, headers: [...headers.list, ...own] }
}

function relayResponse(forwarding: Forwarding, upstream: ClientRequest): void {
  let received: IncomingMessage | undefined
  let informational = 0
  let readBefore = 0

  upstream.once('socket', ({ bytesRead }) => {
    readBefore = bytesRead
  })
  upstream.on('response', (incoming) => {
    received = incoming
    incoming.on('error', (error) => fail(forwarding, error, headReceived))
    try {
      relay(incoming, forwarding)
    } catch (error) {
      fail(forwarding, error as Error, headReceived)
    }
  })
  upstream.on('information', () => {
    informational += 1
    if (informational > informationalMax) upstream.destroy(outboundError('bad_response'))
  })
  upstream.on('upgrade', (_incoming, socket) => {
    socket.destroy()
    fail(forwarding, outboundError('bad_response'), headReceived)
  })
  upstream.on('error', (error) => {
    // Once the response is complete, the rest of the request does not matter.
    if (received?.complete) return
    if (!received && wasStale(upstream, error) && mayRepeat(forwarding)) sendAgain(forwarding)
    else
      fail(
        forwarding,
        error,
        received ? headReceived : { hasBegun: hasReceived(upstream, readBefore), hasHead: false },
      )
  })
}

/** Throws if the head is too large, has invalid characters, or comes from the proxy instead of the target. */
function relay(incoming: IncomingMessage, { response, headerBytesMax, proxy }: Forwarding): void {
  const { statusCode = 0, statusMessage, rawHeaders } = incoming
  if (relaysRequests(proxy) && isProxyResponse(statusCode, incoming.headers))
    throw outboundError('proxy')
  const headers = responseHeaders(rawHeaders, headerBytesMax)
  if (!headers) throw outboundError('bad_response')
  response.sendDate = false
  response.removeHeader('connection')
  if (statusCode === 407) headers.push(...foreignChallenge)
  response.writeHead(statusCode, statusMessage, headers)
  pipePaced(incoming, response)
  // Headers are sent with the first piece of the body, or alone if that is late.
  setImmediate(flushHead, response)
}

function flushHead(response: ServerResponse): void {
  if (!response.writableEnded && !response.destroyed) response.flushHeaders()
}

/** A keep-alive connection was lost before a response: the server had closed it meanwhile. */
const wasStale = (upstream: ClientRequest, error: Error): boolean =>
  upstream.reusedSocket && exchangeProblem(error, false) === 'unreachable'

const mayRepeat = ({ request, headers }: Forwarding): boolean =>
  !request.socket.destroyed && !headers.hasBody && repeatable.has(request.method ?? '')

function sendAgain(forwarding: Forwarding): void {
  forwarding.connections.closeIdle(forwarding.target)
  send(forwarding)
}

/** Whether bytes came, but no head yet. Earlier bytes belong to earlier responses, or to the proxy. */
const hasReceived = ({ socket }: ClientRequest, readBefore: number): boolean =>
  (socket?.bytesRead ?? 0) > readBefore

interface ResponseProgress {
  hasBegun: boolean
  hasHead: boolean
}

const headReceived: ResponseProgress = { hasBegun: true, hasHead: true }

function fail(forwarding: Forwarding, error: Error, { hasBegun, hasHead }: ResponseProgress): void {
  const { request, response, connections, problems, target, proxy } = forwarding
  // The browser has the whole response, or its connection is closed already.
  if (response.writableFinished || request.socket.destroyed) return
  const problem = exchangeProblem(error, hasBegun) ?? 'bad_response'
  const isRelayed = relaysRequests(proxy)
  const reported = proxy ? problemThroughProxy(problem, { error, isRelayed, hasHead }) : problem
  problems.remember(target, reported)
  connections.proxyWatch?.markSuspect(target)
  request.socket.destroy()
}
