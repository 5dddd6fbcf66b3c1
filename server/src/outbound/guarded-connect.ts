import { isIP, type Socket } from 'node:net'
import type { ProxyRoute } from '../domain/proxy/proxy.ts'
import type { AttemptTimings } from '../domain/scrape/page.ts'
import type { ExchangeLimits } from './client/http-client.ts'
import { dial } from './dial.ts'
import { attributedToProxy } from './exchange-problem.ts'
import { bareHost, type EgressGuard } from './guard/egress-guard.ts'
import { OutboundError, outboundError } from './outbound-error.ts'
import type { Resolver } from './resolver.ts'
import { startTls } from './start-tls.ts'
import { createProxyDialler, type ProxiedRequest } from './upstream-proxy/proxy-dialler.ts'

interface ConnectionRequest extends Omit<ProxiedRequest, 'host'> {
  /** As spelt by the URL parser. */
  hostname: string
  limits: Pick<ExchangeLimits, 'dnsMs' | 'connectMs' | 'tlsMs'>
  /** The upstream proxy, if the target is reached through one; it resolves the target's name. */
  proxy?: ProxyRoute | undefined
}

export interface Connection {
  socket: Socket
  /** Includes resolving the proxy's name, connecting to it and its handshake. */
  timings: Pick<AttemptTimings, 'dnsMs' | 'connectMs' | 'tlsMs'>
}

/** Opens a connection, or throws an `OutboundError`. */
export type GuardedConnect = (request: ConnectionRequest) => Promise<Connection>

/**
 * The one place where outbound connections are opened. It resolves a name once and dials only addresses that
 * the guard checked, so that DNS rebinding (SSRF) cannot swap the address between check and connect.
 */
export function createGuardedConnect(parts: {
  guard: EgressGuard
  resolver: Resolver
  /** Certificate authorities trusted instead of the system's. */
  trustedAuthorities?: readonly string[] | undefined
}): GuardedConnect {
  const { guard, resolver } = parts
  const ca = parts.trustedAuthorities && [...parts.trustedAuthorities]
  const dialThrough = createProxyDialler({ guard, resolver, ca })

  return async (request) => {
    const { hostname, port, purpose, limits, signal, proxy } = request
    const refusal = guard.refusalOfHost(hostname, port, purpose)
    if (refusal !== undefined) throw new OutboundError('not_allowed', refusal)
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
      // A bad certificate, or a peer without TLS, is still blamed on the target.
      throw proxy ? attributedToProxy(error) : error
    }
  }

  async function dialDirectly(host: string, request: ConnectionRequest) {
    const { port, purpose, limits, signal } = request
    const startedAtMs = performance.now()
    const isLiteral = isIP(host) !== 0
    const found = isLiteral
      ? [host]
      : await resolver.resolve(host, { signal, deadlineMs: limits.dnsMs })
    const addresses = guard.keepAllowed(found, port, purpose)
    if (addresses.length === 0) throw outboundError('not_allowed')

    const resolvedMs = performance.now()
    const socket = await dial(addresses, port, { signal, deadlineMs: limits.connectMs })
    // The guard checks the real peer address too, whatever the kernel or a library made of it.
    const { remoteAddress } = socket
    // A socket that is already closed has no remote address.
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
    const dnsMs = isLiteral ? 0 : resolvedMs - startedAtMs
    return { socket, dnsMs, connectMs: performance.now() - resolvedMs }
  }
}
