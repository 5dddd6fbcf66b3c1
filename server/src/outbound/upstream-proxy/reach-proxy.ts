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

interface ReachedProxy {
  socket: Socket
  /** What its name took. */
  dnsMs: number
  dialledAtMs: number
}

type ReachProxy = (
  proxy: ProxyRoute,
  terms: {
    limits: Pick<ExchangeLimits, 'dnsMs' | 'connectMs'>
    signal: AbortSignal
    onDialled?: ((wire: Socket) => void) | undefined
  },
) => Promise<ReachedProxy>

/** No target is waited for yet: who has not answered by then is not there. */
const reachedMsMax = 5_000

/**
 * Everything that comes before a proxy hears of a target: its name, which may lead anywhere as it is the
 * operator's, a connection, TLS or the words of SOCKS. Who fails here fails with every target.
 */
export function createReachProxy(parts: {
  resolver: Resolver
  ca: string[] | undefined
}): ReachProxy {
  return async (proxy, { limits, signal, onDialled }) => {
    const host = bareHost(proxy.host)
    const beganMs = performance.now()
    const addresses =
      isIP(host) === 0
        ? await parts.resolver.resolve(host, { signal, deadlineMs: limits.dnsMs })
        : [host]
    const dialledAtMs = performance.now()
    const endsAtMs = dialledAtMs + Math.min(reachedMsMax, limits.connectMs)
    const within = () => ({ signal, deadlineMs: Math.max(1, endsAtMs - performance.now()) })
    const wire = await dial(addresses, proxy.port, within())
    onDialled?.(wire)
    const socket = await greet(wire, { ...proxy, host }, within)
    return { socket, dnsMs: dialledAtMs - beganMs, dialledAtMs }
  }

  async function greet(
    wire: Socket,
    { protocol, host, user }: ProxyRoute,
    within: () => { signal: AbortSignal; deadlineMs: number },
  ): Promise<Socket> {
    if (protocol === 'https') return startTls(wire, { host, ca: parts.ca, ...within() })
    if (protocol === 'http') return wire
    try {
      await withDeadline(signInToSocks(wire, user), outboundDeadline(within()))
      return wire
    } catch (error) {
      wire.destroy()
      throw error
    }
  }
}
