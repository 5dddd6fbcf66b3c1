import { Failure } from '../../../domain/failure.ts'
import type { ProxyRoute, ProxyUser } from '../../../domain/proxy/proxy.ts'
import { openEgressProxy } from '../../../outbound/egress-proxy/egress-proxy.ts'
import type { GuardedConnect } from '../../../outbound/guarded-connect.ts'
import { outboundError } from '../../../outbound/outbound-error.ts'
import { toFailure } from '../../request/outbound-failures.ts'
import { type ConnectTimings, recordTimings } from './connection-timings.ts'

/** A page's only way to the network: its own local egress proxy, which guards against SSRF. */
export interface PageEgress extends AsyncDisposable {
  /** The port of the egress proxy on the loopback interface. */
  readonly port: number
  /** What the page's browser context authenticates with. */
  readonly credentials: ProxyUser
  /** Bytes exchanged with targets, or with the upstream proxy, so far. */
  readonly bytes: { readonly received: number; readonly sent: number }
  restrictTo(isReachable: (host: string, port: number) => boolean): void
  /** Why the last connection to this URL's host failed, if it did. */
  problemOf(url: string): Failure | undefined
  /** The timings of the last connection to this URL's host and port. */
  connectTimingsOf(url: string): ConnectTimings | undefined
  /** Whether all targets are reached through an upstream proxy. */
  readonly isProxied: boolean
  /** Whether the last connection to the upstream proxy failed; the page is then incomplete. */
  readonly isProxyLost: boolean
  /** Connects to the upstream proxy if it is in doubt; false when the signal is aborted. */
  checkProxyGone(signal: AbortSignal): Promise<boolean>
}

export async function openPageEgress(
  parts: {
    connect: GuardedConnect
    onListening?: ((port: number) => Disposable) | undefined
  },
  proxy: ProxyRoute | undefined,
): Promise<PageEgress> {
  const timings = recordTimings(parts.connect)
  const egressProxy = await openEgressProxy({ connect: timings.connect }, { proxy })
  const listening = parts.onListening?.(egressProxy.port)
  return {
    port: egressProxy.port,
    credentials: egressProxy.credentials,
    get bytes() {
      return egressProxy.bytes
    },
    isProxied: proxy !== undefined,
    get isProxyLost() {
      return egressProxy.proxyWatch?.wasUnusable ?? false
    },
    checkProxyGone: async (signal) => (await egressProxy.proxyWatch?.isDown(signal)) ?? false,
    restrictTo: egressProxy.restrictTo,
    problemOf(url) {
      const problem = egressProxy.problemOf(...targetOf(url))
      if (problem === 'too_large') {
        return new Failure('RESPONSE_TOO_LARGE', 'The page loads more data than allowed.')
      }
      return problem && toFailure(outboundError(problem))
    },
    connectTimingsOf: (url) => timings.find(...targetOf(url)),
    async [Symbol.asyncDispose]() {
      await egressProxy[Symbol.asyncDispose]()
      listening?.[Symbol.dispose]()
    },
  }
}

function targetOf(url: string): [host: string, port: number] {
  const { hostname = '', port = '', protocol = '' } = URL.parse(url) ?? {}
  return [hostname, Number(port) || defaultPorts[protocol] || 0]
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 }
