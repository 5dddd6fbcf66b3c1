import { isIP, type Socket } from 'node:net'
import type { ProxyRoute } from '../domain/proxy/proxy.ts'
import type { AttemptTimings } from '../domain/scrape/page.ts'
import type { ExchangeLimits } from './client/http-client.ts'
import { dial } from './dial.ts'
import { attributedToProxy } from './exchange-problem.ts'
import type { Purpose } from './guard/address-policy.ts'
import { bareHost, type EgressGuard } from './guard/egress-guard.ts'
import { outboundError } from './outbound-error.ts'
import type { Resolver } from './resolver.ts'
import { startTls } from './start-tls.ts'
import { createProxyDialler } from './upstream-proxy/proxy-dialler.ts'

interface ConnectionRequest {
  /** As the URL parser gives it. */
  hostname: string
  port: number
  isTls: boolean
  purpose: Purpose
  limits: Pick<ExchangeLimits, 'dnsMs' | 'connectMs' | 'tlsMs'>
  signal: AbortSignal
  /** The only way to the target, whose name is the proxy's to look up. */
  proxy?: ProxyRoute | undefined
  /** The connection ends at the proxy, which is sent requests in absolute form. */
  isRelayed?: boolean | undefined
  /** Told of the socket that everything goes over: what it has counted is what crossed the wire. */
  onDialled?: ((wire: Socket) => void) | undefined
}

export interface Connection {
  socket: Socket
  /** The proxy's name, the way to it and its handshake are part of these. */
  timings: Pick<AttemptTimings, 'dnsMs' | 'connectMs' | 'tlsMs'>
}

/** Opens a connection, or throws an `OutboundError`. */
export type GuardedConnect = (request: ConnectionRequest) => Promise<Connection>

/**
 * The one place where connections begin. A name is looked up once and only an address that was
 * judged is dialled, so that what a name means cannot change between the two.
 */
export function createGuardedConnect(parts: {
  guard: EgressGuard
  resolver: Resolver
  /** Certificates trusted instead of the system's. */
  trustedAuthorities?: readonly string[] | undefined
}): GuardedConnect {
  const { guard, resolver } = parts
  const ca = parts.trustedAuthorities && [...parts.trustedAuthorities]
  const dialThrough = createProxyDialler({ guard, resolver, ca })

  return async (request) => {
    const { hostname, port, purpose, limits, signal, proxy } = request
    if (!guard.isAllowedHost(hostname, port, purpose)) throw outboundError('not_allowed')
    const host = bareHost(hostname)

    const { socket, dnsMs, connectMs } = proxy
      ? await dialThrough(proxy, { ...request, host })
      : await dialDirectly(host, request)
    if (!request.isTls) return { socket, timings: { dnsMs, connectMs, tlsMs: 0 } }
    const connectedAtMs = performance.now()
    try {
      const secured = await startTls(socket, { host, ca, deadlineMs: limits.tlsMs, signal })
      const tlsMs = performance.now() - connectedAtMs
      return { socket: secured, timings: { dnsMs, connectMs, tlsMs } }
    } catch (error) {
      // A bad certificate, or no TLS at all, stays the target's.
      throw proxy ? attributedToProxy(error) : error
    }
  }

  async function dialDirectly(host: string, request: ConnectionRequest) {
    const { port, purpose, limits, signal } = request
    const beganMs = performance.now()
    const isLiteral = isIP(host) !== 0
    const found = isLiteral
      ? [host]
      : await resolver.resolve(host, { signal, deadlineMs: limits.dnsMs })
    const addresses = guard.keepAllowed(found, port, purpose)
    if (addresses.length === 0) throw outboundError('not_allowed')

    const resolvedMs = performance.now()
    const socket = await dial(addresses, port, { signal, deadlineMs: limits.connectMs })
    // Whatever a library or the kernel made of the address: this is where it went.
    const { remoteAddress } = socket
    // A connection that is gone already has no address any more.
    if (remoteAddress === undefined) throw outboundError('unreachable')
    if (!(await guard.areAllowedNow([remoteAddress], port, purpose))) {
      socket.destroy()
      throw outboundError('not_allowed')
    }
    if (socket.destroyed || signal.aborted) {
      socket.destroy()
      throw outboundError(signal.aborted ? 'aborted' : 'unreachable', signal.reason)
    }
    request.onDialled?.(socket)
    const dnsMs = isLiteral ? 0 : resolvedMs - beganMs
    return { socket, dnsMs, connectMs: performance.now() - resolvedMs }
  }
}
