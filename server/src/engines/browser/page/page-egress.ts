import { Failure } from '../../../domain/failure.ts'
import type { ProxyRoute, ProxyUser } from '../../../domain/proxy/proxy.ts'
import { openEgressProxy } from '../../../outbound/egress-proxy/egress-proxy.ts'
import type { GuardedConnect } from '../../../outbound/guarded-connect.ts'
import { outboundError } from '../../../outbound/outbound-error.ts'
import { toFailure } from '../../request/outbound-failures.ts'
import { type ReachTimings, rememberTimings } from './connection-timings.ts'

/** The only way from a page to the network. */
export interface PageEgress extends AsyncDisposable {
  /** Where the page's context finds it, on this machine. */
  readonly port: number
  /** What the page's browser context authenticates with. */
  readonly credentials: ProxyUser
  /** What crossed the wire to and from targets, or the proxy, so far. */
  readonly bytes: { readonly received: number; readonly sent: number }
  restrictTo(isReachable: (host: string, port: number) => boolean): void
  /** Why nothing came through from there. */
  problemOf(url: string): Failure | undefined
  /** How long it took to reach the place where that is, when it was last reached anew. */
  timingsOf(url: string): ReachTimings | undefined
  /** Whether there is a proxy, behind which all targets are. */
  readonly isProxied: boolean
  /** Whether that proxy was gone when it was last dialled: a page lacks whatever it has asked for since. */
  readonly isLost: boolean
  /** Whether it is gone now, if there is reason to ask; false where nobody waits for it any longer. */
  isGone(signal: AbortSignal): Promise<boolean>
}

export async function openPageEgress(
  parts: {
    connect: GuardedConnect
    onListening?: ((port: number) => Disposable) | undefined
  },
  proxy: ProxyRoute | undefined,
): Promise<PageEgress> {
  const timings = rememberTimings(parts.connect)
  const exit = await openEgressProxy({ connect: timings.connect }, { proxy })
  const listening = parts.onListening?.(exit.port)
  return {
    port: exit.port,
    credentials: exit.credentials,
    get bytes() {
      return exit.bytes
    },
    isProxied: proxy !== undefined,
    get isLost() {
      return exit.proxyWatch?.isLost ?? false
    },
    isGone: async (signal) => (await exit.proxyWatch?.isGone(signal)) ?? false,
    restrictTo: exit.restrictTo,
    problemOf(url) {
      const problem = exit.problemOf(...placeOf(url))
      if (problem === 'too_large') {
        return new Failure('RESPONSE_TOO_LARGE', 'The page loads more than the limits allow.')
      }
      return problem && toFailure(outboundError(problem))
    },
    timingsOf: (url) => timings.find(...placeOf(url)),
    async [Symbol.asyncDispose]() {
      await exit[Symbol.asyncDispose]()
      listening?.[Symbol.dispose]()
    },
  }
}

function placeOf(url: string): [host: string, port: number] {
  const { hostname = '', port = '', protocol = '' } = URL.parse(url) ?? {}
  return [hostname, Number(port) || defaultPorts[protocol] || 0]
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 }
