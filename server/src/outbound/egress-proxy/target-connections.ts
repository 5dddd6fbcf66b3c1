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
import { type UpstreamWatch, watchUpstream } from './upstream-watch.ts'

/** `host` is spelt as `URL.hostname` does. */
export type ReachRule = (host: string, port: number) => boolean

export interface EgressProxyLimits extends Pick<ExchangeLimits, 'dnsMs' | 'connectMs' | 'tlsMs'> {
  /** Of a plain request's answer. */
  headerBytesMax: number
  /** At once, to targets. */
  socketsMax: number
  /** Different ones, in all. */
  hostsMax: number
  /** From all targets together. */
  receivedBytesMax: number
}

/** Opens the connections of one exit, as far as its limits go, and ends them. */
export interface TargetConnections {
  /** Keeps connections for the next plain request to the same target. */
  readonly agent: Agent
  readonly bytes: { received: number; sent: number }
  /** Of the proxy, if there is one. */
  readonly proxyWatch: UpstreamWatch | undefined
  /** By the rule in force; what the guard thinks of it is another matter. */
  isReachable(target: Target): boolean
  /** For a target that is reachable, to its very end. Throws an `OutboundError`. */
  openTunnel(target: Target): Promise<Socket>
  /** When one kept connection turns out to be dead, the others to its target may be as well. */
  closeKept(target: Target): void
  restrictTo(rule: ReachRule): void
  /** Now and for good; whatever is asked for afterwards has this problem. */
  endAll(problem: OutboundProblem): void
}

export function createTargetConnections(parts: {
  connect: GuardedConnect
  /** The only way to every target. */
  proxy: ProxyRoute | undefined
  limits: EgressProxyLimits
  isReachable: ReachRule
  onEnded: (target: Target, problem: OutboundProblem) => void
}): TargetConnections {
  const { connect, proxy, limits } = parts
  const sockets = createTargetSockets()
  const agent = createAgent((target) => open(target, relaysRequests(proxy)))
  const hosts = new Set<string>()
  let { isReachable } = parts
  let unspentBytes = limits.receivedBytesMax
  let over: OutboundProblem | undefined
  const proxyWatch = proxy && watchUpstream((target, signal) => open(target, true, signal))

  return {
    agent,
    get bytes() {
      return sockets.bytes
    },
    proxyWatch,
    isReachable: ({ host, port }) => isReachable(host, port),
    openTunnel: (target) => open(target, false),
    closeKept({ host, port }) {
      for (const socket of agent.freeSockets[agent.getName({ host, port })] ?? []) socket.destroy()
    },
    restrictTo(rule) {
      isReachable = rule
      for (const one of sockets) {
        if (!rule(one.target.host, one.target.port)) sockets.end(one, 'aborted')
      }
    },
    endAll,
  }

  async function open(target: Target, isRelayed: boolean, end?: AbortSignal): Promise<Socket> {
    const refusal = refusalOf(target)
    if (refusal) throw outboundError(refusal)
    hosts.add(target.host)
    const one = sockets.add(target)
    const { host: hostname, port } = target
    const { signal: ownEnd } = one.opening
    const signal = end ? AbortSignal.any([ownEnd, end]) : ownEnd
    const onDialled = (wire: Socket) => {
      one.wire = wire
    }
    try {
      const asked = { hostname, port, isTls: false, purpose: 'target' } as const
      const { socket } = await connect({ ...asked, limits, signal, proxy, isRelayed, onDialled })
      sockets.setOpen(one, socket)
      socket.on('data', spend)
      proxyWatch?.onOpened()
      return socket
    } catch (error) {
      sockets.end(one, 'aborted')
      const told = proxy ? attributedToProxy(error) : error
      proxyWatch?.onFailed(told, target)
      throw told
    }
  }

  function refusalOf({ host }: Target): OutboundProblem | undefined {
    if (over) return over
    if (hosts.size >= limits.hostsMax && !hosts.has(host)) return 'too_large'
    if (sockets.size >= limits.socketsMax && !closeOneKept(sockets, agent)) return 'too_large'
    return undefined
  }

  function spend(chunk: Buffer): void {
    unspentBytes -= chunk.length
    if (unspentBytes < 0) endAll('too_large')
  }

  function endAll(problem: OutboundProblem): void {
    over ??= problem
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
      // Beside an error there is no socket, for which the type has no word.
      done as (error: Error) => void,
    )
    return undefined
  }
  return agent
}

function closeOneKept(sockets: TargetSockets, agent: Agent): boolean {
  const kept = new Set(Object.values(agent.freeSockets).flat())
  for (const one of sockets) {
    if (!one.socket || !kept.has(one.socket)) continue
    sockets.end(one, 'aborted')
    return true
  }
  return false
}
