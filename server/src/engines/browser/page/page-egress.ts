import { Failure } from '../../../domain/failure.ts'
import { parseUrl } from '../../../domain/parse-url.ts'
import type { ProxyRoute } from '../../../domain/proxy/proxy.ts'
import { openEgressProxy } from '../../../outbound/egress-proxy/egress-proxy.ts'
import type { Connection, GuardedConnect } from '../../../outbound/guarded-connect.ts'
import { outboundError } from '../../../outbound/outbound-error.ts'
import { TtlCache } from '../../../runtime/sharing/ttl-cache.ts'
import { toFailure } from '../../request/outbound-failures.ts'

export type PageEgress = Awaited<ReturnType<typeof openPageEgress>>

/** A page's only way to the network: its own local egress proxy, which guards against SSRF. */
export async function openPageEgress(
  parts: {
    connect: GuardedConnect
    onListening?: ((port: number) => Disposable) | undefined
  },
  proxy: ProxyRoute | undefined,
) {
  const timings = recordTimings(parts.connect)
  const egressProxy = await openEgressProxy({ connect: timings.connect }, { proxy })
  const listening = parts.onListening?.(egressProxy.port)
  return {
    port: egressProxy.port,
    /** What the page's browser context authenticates with. */
    credentials: egressProxy.credentials,
    /** Bytes exchanged with targets, or with the upstream proxy, so far. */
    get bytes(): { received: number; sent: number } {
      return egressProxy.bytes
    },
    /** Whether all targets are reached through an upstream proxy. */
    isProxied: proxy !== undefined,
    /** Whether the last connection to the upstream proxy failed; the page is then incomplete. */
    get isProxyLost(): boolean {
      return egressProxy.proxyWatch?.wasUnusable ?? false
    },
    /** Connects to the upstream proxy if it is in doubt; false when the signal is aborted. */
    checkProxyGone: async (signal: AbortSignal): Promise<boolean> =>
      (await egressProxy.proxyWatch?.isDown(signal)) ?? false,
    restrictTo: egressProxy.restrictTo,
    /** Why the last connection to this URL's host failed, if it did. */
    problemOf(url: string): Failure | undefined {
      const problem = egressProxy.problemOf(...targetOf(url))
      if (problem === 'too_large') {
        return new Failure('RESPONSE_TOO_LARGE', 'The page loads more data than allowed.')
      }
      return problem && toFailure(outboundError(problem))
    },
    /** The timings of the last connection to this URL's host and port. */
    connectTimingsOf: (url: string) => timings.find(...targetOf(url)),
    async [Symbol.asyncDispose](): Promise<void> {
      await egressProxy[Symbol.asyncDispose]()
      listening?.[Symbol.dispose]()
    },
  }
}

function targetOf(url: string): [host: string, port: number] {
  const { hostname = '', port = '', protocol = '' } = parseUrl(url) ?? {}
  return [hostname, Number(port) || defaultPorts[protocol] || 0]
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 }

type ConnectTimings = Pick<Connection['timings'], 'dnsMs' | 'connectMs'>

const targetsMax = 1_000

/** DNS and connect times of targets, which the browser cannot measure behind the egress proxy. */
function recordTimings(connect: GuardedConnect) {
  const known = new TtlCache<ConnectTimings>({ entriesMax: targetsMax })
  return {
    /** The given `connect`, with its timings recorded. */
    async connect(request: Parameters<GuardedConnect>[0]): Promise<Connection> {
      const connection = await connect(request)
      known.set(`${request.hostname}:${request.port}`, connection.timings)
      return connection
    },
    /** The timings of the last connection to this host (as in `URL.hostname`) and port. */
    find: (host: string, port: number): ConnectTimings | undefined => known.get(`${host}:${port}`),
  }
}
