import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import type { GuardedConnect } from '../guarded-connect.ts'
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

const defaultLimits: EgressProxyLimits = {
  dnsMs: 4_000,
  connectMs: 10_000,
  tlsMs: 10_000,
  headerBytesMax: 32 * 1024,
  socketsMax: 256,
  hostsMax: 500,
  receivedBytesMax: 100 * 2 ** 20,
}

/** For the request line and headers of a browser; cookies may be long. */
const requestHeadBytesMax = 64 * 1024

/**
 * A browser's only way to the network: a forward proxy on its own loopback port for one task. The guard checks
 * all its connections (SSRF), their bytes are counted, and they close with the proxy.
 */
export type EgressProxy = Awaited<ReturnType<typeof openEgressProxy>>

export async function openEgressProxy(
  parts: { connect: GuardedConnect },
  options: {
    isReachable?: ReachRule
    limits?: Partial<EgressProxyLimits>
    /** The upstream proxy for all targets; nothing bypasses it. */
    proxy?: ProxyRoute | undefined
  } = {},
) {
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
  // More than `socketsMax`, so that requests beyond that limit get an error response.
  const clients = createClientConnections({ authenticatedMax: 2 * limits.socketsMax })
  // No timeouts: a browser opens connections in advance and may keep them idle for the whole task.
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
    /** On 127.0.0.1. */
    port,
    /** A request without these gets a 407 challenge only. */
    credentials: auth.credentials,
    /** Bytes on the wire so far, to and from targets or the upstream proxy. */
    get bytes() {
      return connections.bytes
    },
    /** The health of the upstream proxy, if there is one. */
    proxyWatch: connections.proxyWatch,
    /**
     * Replaces the rule and closes connections that violate it. A refusal comes before any DNS lookup and is not
     * recorded as a problem: a page's blocked request is no failure.
     */
    restrictTo: connections.restrictTo,
    /** The last problem of a target; its host is spelt as in `URL.hostname`. */
    problemOf: (host: string, targetPort: number) => problems.find({ host, port: targetPort }),
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
