import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { ProxyRoute, ProxyUser } from '../../domain/proxy/proxy.ts'
import type { GuardedConnect } from '../guarded-connect.ts'
import type { OutboundProblem } from '../outbound-error.ts'
import { createClientConnections } from './client-connections.ts'
import { challengeTunnel, openTunnel } from './connect-tunnel.ts'
import { challengeRequest, forwardRequest } from './forward-request.ts'
import { createEgressProxyAuth } from './proxy-auth.ts'
import {
  createTargetConnections,
  type EgressProxyLimits,
  type ReachRule,
} from './target-connections.ts'
import { createTargetProblems } from './target-problems.ts'
import type { UpstreamWatch } from './upstream-watch.ts'

/**
 * A browser's only way out: a forward proxy on a port of its own for one task. Everything it opens is
 * judged by the guard, counted, and ended with it.
 */
export interface EgressProxy extends AsyncDisposable {
  /** On 127.0.0.1. */
  readonly port: number
  /** Without them a request is answered with a challenge, and nothing else happens. */
  readonly credentials: ProxyUser
  /** What has crossed the wire to and from targets so far, or to and from the proxy. */
  readonly bytes: { received: number; sent: number }
  /** Of the proxy, if there is one. */
  readonly proxyWatch: Pick<UpstreamWatch, 'isLost' | 'isGone'> | undefined
  /**
   * Replaces the rule and ends what does not pass it. What it refuses is refused before any look into
   * the DNS, and is no problem: a page's blocked request is not a failure.
   */
  restrictTo(isReachable: ReachRule): void
  /** What last went wrong with a target; its host is spelt as `URL.hostname` does. */
  problemOf(host: string, port: number): OutboundProblem | undefined
}

const defaultLimits: EgressProxyLimits = {
  dnsMs: 4_000,
  connectMs: 10_000,
  tlsMs: 10_000,
  headerBytesMax: 32 * 1024,
  socketsMax: 256,
  hostsMax: 500,
  receivedBytesMax: 100 * 2 ** 20,
}

/** The line and the headers of a browser's request; cookies may be long. */
const requestHeadBytesMax = 64 * 1024

export async function openEgressProxy(
  parts: { connect: GuardedConnect },
  options: {
    isReachable?: ReachRule
    limits?: Partial<EgressProxyLimits>
    /** Behind which all targets are; nothing goes past it. */
    proxy?: ProxyRoute | undefined
  } = {},
): Promise<EgressProxy> {
  const limits = { ...defaultLimits, ...options.limits }
  const { proxy } = options
  const problems = createTargetProblems()
  const connections = createTargetConnections({
    connect: parts.connect,
    proxy,
    limits,
    isReachable: options.isReachable ?? (() => true),
    onEnded: problems.remember,
  })
  const { headerBytesMax } = limits
  const handling = { connections, problems, headerBytesMax, proxy }
  const auth = createEgressProxyAuth()
  // More than may go out, so that those beyond are told.
  const clients = createClientConnections({ authenticatedMax: 2 * limits.socketsMax })
  // A browser opens connections before it needs them, and may wait for as long as its task does.
  const server = createServer({
    keepAliveTimeout: 0,
    headersTimeout: 0,
    requestTimeout: 0,
    maxHeaderSize: requestHeadBytesMax,
  })
  server.maxHeadersCount = 0
  server.on('connection', (client) => clients.add(client))
  server.on('request', (request, response) => {
    if (!auth.isAuthenticated(request)) challengeRequest(response)
    else if (clients.authenticate(request.socket)) forwardRequest(request, response, handling)
  })
  server.on('connect', (request, client, head) => {
    if (!auth.isAuthenticated(request)) challengeTunnel(client)
    else if (clients.authenticate(client as Socket)) openTunnel(request, client, head, handling)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.on('error', () => {})
  const { port } = server.address() as AddressInfo
  let closed: Promise<unknown> | undefined

  return {
    port,
    credentials: auth.credentials,
    get bytes() {
      return connections.bytes
    },
    proxyWatch: connections.proxyWatch,
    restrictTo: connections.restrictTo,
    problemOf: (host, targetPort) => problems.find({ host, port: targetPort }),
    async [Symbol.asyncDispose]() {
      closed ??= close()
      await closed
    },
  }

  function close(): Promise<unknown> {
    const closing = once(server, 'close')
    server.close()
    connections.endAll('aborted')
    clients.closeAll()
    return closing
  }
}
