import { isIP, type Socket } from 'node:net'
import type { AttemptTimings } from '../domain/page.ts'
import type { Purpose } from './address-policy.ts'
import { dial } from './dial.ts'
import { bareHost, type EgressGuard } from './egress-guard.ts'
import { type ExchangeLimits, outboundError } from './http-client.ts'
import type { Resolver } from './resolver.ts'
import { secure } from './secure.ts'

interface ConnectionRequest {
  /** As the URL parser gives it. */
  hostname: string
  port: number
  isTls: boolean
  purpose: Purpose
  limits: Pick<ExchangeLimits, 'dnsMs' | 'connectMs' | 'tlsMs'>
  signal: AbortSignal
}

export interface Connection {
  socket: Socket
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

  return async (request) => {
    const { port, purpose, limits, signal } = request
    const host = bareHost(request.hostname)
    if (!guard.isAllowedHost(host, String(port), purpose)) throw outboundError('not_allowed')

    const beganMs = performance.now()
    const isLiteral = isIP(host) !== 0
    const found = isLiteral
      ? [host]
      : await resolver.resolve(host, { signal, deadlineMs: limits.dnsMs })
    const addresses = guard.keepAllowed(found, purpose)
    if (addresses.length === 0) throw outboundError('not_allowed')

    const resolvedMs = performance.now()
    const socket = await dial(addresses, port, { signal, deadlineMs: limits.connectMs })
    const connectedMs = performance.now()
    // Whatever a library or the kernel made of the address: this is where it went.
    const { remoteAddress } = socket
    if (remoteAddress === undefined || guard.keepAllowed([remoteAddress], purpose).length === 0) {
      socket.destroy()
      // A connection that is gone already has no address any more.
      throw outboundError(remoteAddress === undefined ? 'unreachable' : 'not_allowed')
    }
    const timings = {
      dnsMs: isLiteral ? 0 : resolvedMs - beganMs,
      connectMs: connectedMs - resolvedMs,
      tlsMs: 0,
    }
    if (!request.isTls) return { socket, timings }
    const secured = await secure(socket, { host, ca, deadlineMs: limits.tlsMs, signal })
    return { socket: secured, timings: { ...timings, tlsMs: performance.now() - connectedMs } }
  }
}
