import type { EgressGuard } from '../guard/egress-guard.ts'
import { createGuardedConnect } from '../guarded-connect.ts'
import { OutboundError, outboundError } from '../outbound-error.ts'
import type { Resolver } from '../resolver.ts'
import { assertProxyReachable } from '../upstream-proxy/assert-proxy-reachable.ts'
import { Exchange } from './exchange.ts'
import type { HttpClient, OutboundRequest, OutboundResponse } from './http-client.ts'
import { createOriginPools, type OriginPools } from './origin-pools.ts'
import type { ConnectionRoute, ConnectionTerms } from './pooled-connection.ts'

/** Callers have a handful of constant limits; more would mean that one of them is computed. */
const termsMax = 16

export function createHttpClient(parts: {
  guard: EgressGuard
  resolver: Resolver
  /** Certificate authorities trusted instead of the system's. */
  trustedAuthorities?: readonly string[] | undefined
}): HttpClient {
  const connect = createGuardedConnect(parts)
  const poolsByTerms: { terms: ConnectionTerms; pools: OriginPools }[] = []
  let isClosed = false

  return {
    async send(request) {
      const response = await exchange(request)
      const { proxy } = request
      if (proxy && response.isEndedByClose)
        await assertProxyReachable(connect, proxy, request, response)
      return response
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await Promise.all(poolsByTerms.map(({ pools }) => pools.closeAll()))
    },
  }

  async function exchange(request: OutboundRequest): Promise<OutboundResponse> {
    const { url, purpose, signal } = request
    const refusal = parts.guard.refusalOfUrl(url, purpose)
    if (refusal !== undefined) throw new OutboundError('not_allowed', refusal)
    if (signal.aborted) throw outboundError('aborted', signal.reason)
    if (isClosed) throw outboundError('aborted')
    const pools = poolsFor(request)
    if (request.isMeasured || request.proxy?.isForOneAttempt) return sendUnpooled(pools, request)
    const pool = pools.poolFor(routeOf(request), request.accountId)
    const connection = pool.take()
    const started = new Exchange(connection, request)
    try {
      const response = await started.response
      pool.release(connection)
      return response
    } catch (error) {
      pool.discard(connection)
      const isRepeatable = request.method === 'GET' || request.isRepeatable
      if (!isRepeatable || signal.aborted || !started.wasStale) throw error
      // Other idle keep-alive connections to this host may be dead too.
      return sendUnpooled(pools, request)
    }
  }

  function poolsFor({ purpose, limits }: OutboundRequest): OriginPools {
    for (const { terms, pools } of poolsByTerms) {
      if (
        terms.purpose === purpose &&
        terms.limits.headerBytesMax === limits.headerBytesMax &&
        terms.limits.connectMs === limits.connectMs &&
        terms.limits.dnsMs === limits.dnsMs &&
        terms.limits.tlsMs === limits.tlsMs
      ) {
        return pools
      }
    }
    if (poolsByTerms.length >= termsMax) throw new Error('Too many different connection limits.')
    const terms = { purpose, limits: { ...limits } }
    const pools = createOriginPools(terms, connect)
    poolsByTerms.push({ terms, pools })
    return pools
  }
}

/** Uses a new connection that belongs to no pool. */
async function sendUnpooled(pools: OriginPools, request: OutboundRequest) {
  const connection = pools.open(routeOf(request))
  try {
    return await new Exchange(connection, request).response
  } finally {
    pools.close(connection)
  }
}

const routeOf = ({ url, proxy }: OutboundRequest): ConnectionRoute => ({
  origin: url.origin,
  proxy,
})
