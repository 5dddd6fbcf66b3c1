import { isIP, type Socket } from 'node:net'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import type { ExchangeLimits } from '../client/http-client.ts'
import { dial } from '../dial.ts'
import { bareHost } from '../guard/egress-guard.ts'
import { outboundDeadline } from '../outbound-deadline.ts'
import type { Resolver } from '../resolver.ts'
import { startTls } from '../start-tls.ts'
import { signInToSocks } from './socks-tunnel.ts'

interface ReachTerms {
  limits: Pick<ExchangeLimits, 'dnsMs' | 'connectMs'>
  signal: AbortSignal
  onDialled?: ((wire: Socket) => void) | undefined
}

/** No target is involved yet, so a proxy that has not answered by then is down. */
const reachedMsMax = 5_000

/**
 * Does everything before a proxy learns of a target: resolves its name (to any address, because the operator
 * configured it), connects, and does the TLS or SOCKS handshake. A failure here affects every target.
 */
export function createReachProxy(parts: { resolver: Resolver; ca: string[] | undefined }) {
  return async (proxy: ProxyRoute, { limits, signal, onDialled }: ReachTerms) => {
    const host = bareHost(proxy.host)
    const startedAtMs = performance.now()
    const addresses =
      isIP(host) === 0
        ? await parts.resolver.resolve(host, { signal, deadlineMs: limits.dnsMs })
        : [host]
    const dialledAtMs = performance.now()
    const endsAtMs = dialledAtMs + Math.min(reachedMsMax, limits.connectMs)
    const remaining = () => ({ signal, deadlineMs: Math.max(1, endsAtMs - performance.now()) })
    const wire = await dial(addresses, proxy.port, remaining())
    onDialled?.(wire)
    const socket = await handshake(wire, { ...proxy, host }, remaining)
    return { socket, dnsMs: dialledAtMs - startedAtMs, dialledAtMs }
  }

  async function handshake(
    wire: Socket,
    { protocol, host, user }: ProxyRoute,
    remaining: () => { signal: AbortSignal; deadlineMs: number },
  ): Promise<Socket> {
    if (protocol === 'https') return startTls(wire, { host, ca: parts.ca, ...remaining() })
    if (protocol === 'http') return wire
    try {
      await withDeadline(signInToSocks(wire, user), outboundDeadline(remaining()))
      return wire
    } catch (error) {
      wire.destroy()
      throw error
    }
  }
}
