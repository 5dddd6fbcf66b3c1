import { isIP, type Socket } from 'node:net'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import type { ExchangeLimits } from '../client/http-client.ts'
import type { Purpose } from '../guard/address-policy.ts'
import type { EgressGuard } from '../guard/egress-guard.ts'
import { outboundDeadline } from '../outbound-deadline.ts'
import { OutboundError, type OutboundProblem, outboundError } from '../outbound-error.ts'
import type { Resolver } from '../resolver.ts'
import { openHttpTunnel } from './http-tunnel.ts'
import { createReachProxy } from './reach-proxy.ts'
import { createRemoteNameCheck } from './remote-names.ts'
import { openSocksTunnel } from './socks-tunnel.ts'

/** A request whose host, as written, the guard allows. */
export interface ProxiedRequest {
  host: string
  port: number
  isTls: boolean
  purpose: Purpose
  /** `connectMs` covers everything from dialling the proxy to the connection with the target. */
  limits: Pick<ExchangeLimits, 'dnsMs' | 'connectMs'>
  signal: AbortSignal
  /** The connection ends at the proxy, and requests are sent to it in absolute form. */
  isRelayed?: boolean | undefined
  /** Receives the underlying TCP socket, whose byte counts are what crossed the wire. */
  onDialled?: ((wire: Socket) => void) | undefined
}

/** Dials through an upstream proxy. The operator configures it, so its own address is not checked. */
export function createProxyDialler(parts: {
  guard: EgressGuard
  resolver: Resolver
  ca: string[] | undefined
}) {
  const checkName = createRemoteNameCheck(parts)
  const reach = createReachProxy(parts)

  return async (proxy: ProxyRoute, request: ProxiedRequest) => {
    const { host, port, purpose, limits, signal } = request
    const reaching = reach(proxy, request).catch((error) => {
      throw asProxyProblem(error, 'proxy_unusable')
    })
    try {
      // The guard checks `localhost` by its IPv4 address.
      const literal = host === 'localhost' ? '127.0.0.1' : host
      const checking =
        isIP(literal) === 0
          ? checkName(host, port, purpose, { signal, ...limits })
          : requireAllowed(literal, port, purpose)
      // The proxy is dialled in parallel, but learns of the target only after the check.
      const [{ socket, dnsMs, dialledAtMs }] = await Promise.all([reaching, checking])
      const elapsedMs = () => performance.now() - dialledAtMs
      if (!request.isRelayed) {
        const deadlineMs = Math.max(1, limits.connectMs - elapsedMs())
        const opening = openTunnel(socket, proxy, request)
        await withDeadline(opening, outboundDeadline({ signal, deadlineMs }))
      }
      return { socket, dnsMs, connectMs: elapsedMs() }
    } catch (error) {
      reaching.then(
        ({ socket }) => socket.destroy(),
        () => undefined,
      )
      throw asProxyProblem(error, 'proxy')
    }
  }

  async function requireAllowed(address: string, port: number, purpose: Purpose): Promise<void> {
    if (!(await parts.guard.areAllowedNow([address], port, purpose))) {
      throw outboundError('not_allowed')
    }
  }
}

async function openTunnel(
  socket: Socket,
  { protocol, user }: ProxyRoute,
  { host, port, isTls }: ProxiedRequest,
): Promise<void> {
  if (protocol === 'socks5') await openSocksTunnel(socket, { host, port })
  else await openHttpTunnel(socket, { host, port }, user)
  // In TLS the client sends first; bytes that came before would be lost.
  if (isTls && socket.readableLength > 0) throw outboundError('proxy')
}

function asProxyProblem(error: unknown, problem: 'proxy' | 'proxy_unusable'): unknown {
  const isOther = !(error instanceof OutboundError) || ownProblems.has(error.problem)
  return isOther ? error : outboundError(problem, error)
}

const ownProblems = new Set<OutboundProblem>(['proxy', 'proxy_unusable', 'not_allowed', 'aborted'])
