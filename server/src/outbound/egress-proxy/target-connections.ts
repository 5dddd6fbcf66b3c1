import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import type { ExchangeLimits } from '../client/http-client.ts'
import { attributedToProxy } from '../exchange-problem.ts'
import type { GuardedConnect } from '../guarded-connect.ts'
import { type OutboundProblem, outboundError } from '../outbound-error.ts'
import { relaysRequests } from '../upstream-proxy/http-proxy-protocol.ts'
import type { Target } from './request-target.ts'
import { createTargetSockets, type TargetSockets } from './target-sockets.ts'
import { watchUpstream } from './upstream-watch.ts'

/** `host` is spelt as in `URL.hostname`. */
export type ReachRule = (host: string, port: number) => boolean

export interface EgressProxyLimits extends Pick<ExchangeLimits, 'dnsMs' | 'connectMs' | 'tlsMs'> {
  /** For the response of an `http:` request. */
  headerBytesMax: number
  /** Concurrent connections to targets. */
  socketsMax: number
  /** Distinct hosts in all. */
  hostsMax: number
  /** From all targets together. */
  receivedBytesMax: number
}

export type TargetConnections = ReturnType<typeof createTargetConnections>

/** Opens and closes the target connections of one egress proxy, within its limits. */
export function createTargetConnections(parts: {
  connect: GuardedConnect
  /** The upstream proxy for all targets. */
  proxy: ProxyRoute | undefined
  limits: EgressProxyLimits
  isReachable: ReachRule
  onEnded: (target: Target, problem: OutboundProblem) => void
}) {
  const { connect, proxy, limits } = parts
  const sockets = createTargetSockets()
  const agent = createAgent((target) => open(target, relaysRequests(proxy)))
  const hosts = new Set<string>()
  let { isReachable } = parts
  let remainingBytes = limits.receivedBytesMax
  let endedBy: OutboundProblem | undefined
  const proxyWatch = proxy && watchUpstream((target, signal) => open(target, true, signal))

  return {
    /** The keep-alive connections for `http:` requests. */
    agent,
    get bytes(): { received: number; sent: number } {
      return sockets.bytes
    },
    /** The health of the upstream proxy, if there is one. */
    proxyWatch,
    /** Applies the current rule; the egress guard checks the target separately. */
    isReachable: ({ host, port }: Target): boolean => isReachable(host, port),
    /** Opens a connection to a reachable target, through the proxy if there is one. Throws an `OutboundError`. */
    openTunnel: (target: Target): Promise<Socket> => open(target, false),
    /** Closes idle connections to a target: when one turns out to be dead, the others may be too. */
    closeIdle({ host, port }: Target): void {
      for (const socket of agent.freeSockets[agent.getName({ host, port })] ?? []) socket.destroy()
    },
    restrictTo(rule: ReachRule): void {
      isReachable = rule
      for (const one of sockets) {
        if (!rule(one.target.host, one.target.port)) sockets.end(one, 'aborted')
      }
    },
    endAll,
  }

  async function open(target: Target, isRelayed: boolean, abort?: AbortSignal): Promise<Socket> {
    const refusal = refusalOf(target)
    if (refusal) throw outboundError(refusal)
    hosts.add(target.host)
    const one = sockets.add(target)
    const { host: hostname, port } = target
    const { signal: opening } = one.opening
    const signal = abort ? AbortSignal.any([opening, abort]) : opening
    const onDialled = (wire: Socket) => {
      one.wire = wire
    }
    try {
      const request = { hostname, port, isTls: false, purpose: 'target' } as const
      const { socket } = await connect({ ...request, limits, signal, proxy, isRelayed, onDialled })
      sockets.setOpen(one, socket)
      socket.on('data', countReceived)
      proxyWatch?.onOpened()
      return socket
    } catch (error) {
      sockets.end(one, 'aborted')
      const reported = proxy ? attributedToProxy(error) : error
      proxyWatch?.onFailed(reported, target)
      throw reported
    }
  }

  function refusalOf({ host }: Target): OutboundProblem | undefined {
    if (endedBy) return endedBy
    if (hosts.size >= limits.hostsMax && !hosts.has(host)) return 'too_large'
    if (sockets.size >= limits.socketsMax && !closeOneIdle(sockets, agent)) return 'too_large'
    return undefined
  }

  function countReceived(chunk: Buffer): void {
    remainingBytes -= chunk.length
    if (remainingBytes < 0) endAll('too_large')
  }

  /** Closes all connections for good; every later request fails with this problem. */
  function endAll(problem: OutboundProblem): void {
    endedBy ??= problem
    for (const one of sockets) {
      parts.onEnded(one.target, problem)
      sockets.end(one, problem)
    }
  }
}

function createAgent(open: (target: Target) => Promise<Socket>): Agent {
  const agent = new Agent({ keepAlive: true })
  agent.createConnection = ({ host, port }, done) => {
    open({ host: String(host), port: Number(port) }).then(
      (socket) => done?.(null, socket),
      // The type wants a socket beside the error, but there is none.
      done as (error: Error) => void,
    )
    return undefined
  }
  return agent
}

function closeOneIdle(sockets: TargetSockets, agent: Agent): boolean {
  const idle = new Set(Object.values(agent.freeSockets).flat())
  for (const one of sockets) {
    if (!one.socket || !idle.has(one.socket)) continue
    sockets.end(one, 'aborted')
    return true
  }
  return false
}
