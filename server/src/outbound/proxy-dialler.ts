import { isIP, type Socket } from 'node:net'
import type { ProxyRoute } from '../domain/proxy.ts'
import type { Purpose } from './address-policy.ts'
import { dial } from './dial.ts'
import { bareHost, type EgressGuard } from './egress-guard.ts'
import {
  type ExchangeLimits,
  OutboundError,
  type OutboundProblem,
  outboundError,
} from './http-client.ts'
import { askForHttpTunnel } from './http-tunnel.ts'
import { createRemoteNames } from './remote-names.ts'
import type { Resolver } from './resolver.ts'
import { secure } from './secure.ts'
import { askForSocksTunnel } from './socks-tunnel.ts'
import { waitAtMost } from './wait-at-most.ts'

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

  return async (proxy, request) => {
    const { host, purpose, limits, signal } = request
    const reaching = reach(proxy, request).catch((error) => {
      throw asProxyProblem(error, 'proxy_unusable')
    })
    try {
      const judging = isIP(host) === 0 ? judge(host, purpose, { signal, ...limits }) : undefined
      // Meanwhile the proxy is dialled; before this is decided it is told nothing.
      const [{ socket, dnsMs, deadline }] = await Promise.all([reaching, judging])
      if (!request.isRelayed) await openTunnel(socket, proxy, request, deadline)
      return { socket, dnsMs, connectMs: deadline.passedMs() }
    } catch (error) {
      reaching.then(
        ({ socket }) => socket.destroy(),
        () => undefined,
      )
      throw asProxyProblem(error, 'proxy')
    }
  }

  async function reach(
    proxy: ProxyRoute,
    { limits, signal, onDialled }: ProxiedRequest,
  ): Promise<{ socket: Socket; dnsMs: number; deadline: Deadline }> {
    const host = bareHost(proxy.host)
    const beganMs = performance.now()
    const addresses =
      isIP(host) === 0
        ? await parts.resolver.resolve(host, { signal, deadlineMs: limits.dnsMs })
        : [host]
    const dnsMs = performance.now() - beganMs
    const deadline = new Deadline(limits.connectMs)
    const socket = await dial(addresses, proxy.port, { signal, deadlineMs: deadline.leftMs() })
    onDialled?.(socket)
    if (proxy.protocol !== 'https') return { socket, dnsMs, deadline }
    const terms = { host, ca: parts.ca, deadlineMs: deadline.leftMs(), signal }
    return { socket: await secure(socket, terms), dnsMs, deadline }
  }
}

class Deadline {
  readonly #beganMs = performance.now()
  readonly #limitMs: number

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  passedMs(): number {
    return performance.now() - this.#beganMs
  }

  leftMs(): number {
    return Math.max(1, this.#limitMs - this.passedMs())
  }
}

async function openTunnel(
  socket: Socket,
  { protocol, user }: ProxyRoute,
  { host, port, isTls, signal }: ProxiedRequest,
  deadline: Deadline,
): Promise<void> {
  const ask = protocol === 'socks5' ? askForSocksTunnel : askForHttpTunnel
  await waitAtMost(ask(socket, { host, port }, user), { signal, deadlineMs: deadline.leftMs() })
  // With TLS the first word is ours; what has come already would also be lost.
  if (isTls && socket.readableLength > 0) throw outboundError('proxy')
}

function asProxyProblem(error: unknown, problem: 'proxy' | 'proxy_unusable'): unknown {
  const isOther = !(error instanceof OutboundError) || ownProblems.has(error.problem)
  return isOther ? error : outboundError(problem, error)
}

const ownProblems = new Set<OutboundProblem>(['proxy', 'proxy_unusable', 'not_allowed', 'aborted'])
