import { isIP, type Socket } from 'node:net'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import type { ExchangeLimits } from '../client/http-client.ts'
import type { Purpose } from '../guard/address-policy.ts'
import type { EgressGuard } from '../guard/egress-guard.ts'
import { outboundDeadline } from '../outbound-deadline.ts'
import { OutboundError, type OutboundProblem, outboundError } from '../outbound-error.ts'
import type { Resolver } from '../resolver.ts'
import { askForHttpTunnel } from './http-tunnel.ts'
import { createReachProxy } from './reach-proxy.ts'
import { createRemoteNames } from './remote-names.ts'
import { askForSocksTunnel } from './socks-tunnel.ts'

/** Its host is one that the guard lets pass as it is written. */
interface ProxiedRequest {
  host: string
  port: number
  isTls: boolean
  purpose: Purpose
  /** `connectMs` is for everything between dialling the proxy and a connection with the target. */
  limits: Pick<ExchangeLimits, 'dnsMs' | 'connectMs'>
  signal: AbortSignal
  isRelayed?: boolean | undefined
  onDialled?: ((wire: Socket) => void) | undefined
}

interface Dialled {
  socket: Socket
  dnsMs: number
  connectMs: number
}

/** Dials through a proxy, which is the operator's: its own address may be any. */
export function createProxyDialler(parts: {
  guard: EgressGuard
  resolver: Resolver
  ca: string[] | undefined
}): (proxy: ProxyRoute, request: ProxiedRequest) => Promise<Dialled> {
  const judge = createRemoteNames(parts)
  const reach = createReachProxy(parts)

  return async (proxy, request) => {
    const { host, port, purpose, limits, signal } = request
    const reaching = reach(proxy, request).catch((error) => {
      throw asProxyProblem(error, 'proxy_unusable')
    })
    try {
      // It has addresses of two families; the guard judges the name by this one.
      const literal = host === 'localhost' ? '127.0.0.1' : host
      const judging =
        isIP(literal) === 0
          ? judge(host, port, purpose, { signal, ...limits })
          : requireAllowed(literal, port, purpose)
      // Meanwhile the proxy is dialled; before this is decided it is told nothing of the target.
      const [{ socket, dnsMs, dialledAtMs }] = await Promise.all([reaching, judging])
      const passedMs = () => performance.now() - dialledAtMs
      if (!request.isRelayed) {
        const deadlineMs = Math.max(1, limits.connectMs - passedMs())
        const opening = openTunnel(socket, proxy, request)
        await withDeadline(opening, outboundDeadline({ signal, deadlineMs }))
      }
      return { socket, dnsMs, connectMs: passedMs() }
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
  if (protocol === 'socks5') await askForSocksTunnel(socket, { host, port })
  else await askForHttpTunnel(socket, { host, port }, user)
  // With TLS the first word is ours; what has come already would also be lost.
  if (isTls && socket.readableLength > 0) throw outboundError('proxy')
}

function asProxyProblem(error: unknown, problem: 'proxy' | 'proxy_unusable'): unknown {
  const isOther = !(error instanceof OutboundError) || ownProblems.has(error.problem)
  return isOther ? error : outboundError(problem, error)
}

const ownProblems = new Set<OutboundProblem>(['proxy', 'proxy_unusable', 'not_allowed', 'aborted'])
