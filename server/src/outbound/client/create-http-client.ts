import type { EgressGuard } from '../guard/egress-guard.ts'
import { createGuardedConnect } from '../guarded-connect.ts'
import { outboundError } from '../outbound-error.ts'
import type { Resolver } from '../resolver.ts'
import { assertProxyReachable } from '../upstream-proxy/assert-proxy-reachable.ts'
import { Exchange } from './exchange.ts'
import type { HttpClient, OutboundRequest, OutboundResponse } from './http-client.ts'
import { createOriginPools, type OriginPools } from './origin-pools.ts'
import type { ConnectionEvents, ConnectionTerms } from './pooled-connection.ts'

/** Callers have a handful of limits, each a constant; a hundred would mean that one is computed. */
const termsMax = 16

export function createHttpClient(parts: {
  guard: EgressGuard
  resolver: Resolver
  /** Certificates trusted instead of the system's. */
  trustedAuthorities?: readonly string[] | undefined
}): HttpClient {
  const connect = createGuardedConnect(parts)
  const known: { terms: ConnectionTerms; lines: OriginPools }[] = []
  let isClosed = false

  return {
    async send(request) {
      const answer = await exchange(request)
      const { proxy } = request
      if (proxy && answer.isEndedByClose)
        await assertProxyReachable(connect, proxy, request, answer)
      return answer
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await Promise.all(known.map(({ lines }) => lines.closeAll()))
    },
  }

  async function exchange(request: OutboundRequest): Promise<OutboundResponse> {
    const { url, purpose, signal } = request
    if (!parts.guard.isAllowedUrl(url, purpose)) throw outboundError('not_allowed')
    if (signal.aborted) throw outboundError('aborted', signal.reason)
    if (isClosed) throw outboundError('aborted')
    const lines = linesFor(request)
    if (request.isMeasured || request.proxy?.isForOneAttempt) return sendAlone(lines, request)
    const pool = lines.poolFor(endsOf(request))
    const line = await pool.take(signal)
    if (signal.aborted || isClosed) {
      pool.giveBack(line)
      throw outboundError('aborted', signal.reason)
    }
    const begun = new Exchange(line, request)
    try {
      const answer = await begun.answer
      pool.giveBack(line)
      return answer
    } catch (error) {
      pool.discard(line)
      const isRepeatable = request.method === 'GET' || request.isRepeatable
      if (!isRepeatable || signal.aborted || !begun.wasStale) throw error
      // Other kept connections to this host may be as dead as the first one.
      return sendAlone(lines, request)
    }
  }

  function linesFor({ purpose, limits }: OutboundRequest): OriginPools {
    for (const { terms, lines } of known) {
      if (
        terms.purpose === purpose &&
        terms.limits.headerBytesMax === limits.headerBytesMax &&
        terms.limits.connectMs === limits.connectMs &&
        terms.limits.dnsMs === limits.dnsMs &&
        terms.limits.tlsMs === limits.tlsMs
      ) {
        return lines
      }
    }
    if (known.length >= termsMax) throw new Error('Too many different limits on connections.')
    const terms = { purpose, limits: { ...limits } }
    const lines = createOriginPools(terms, connect)
    known.push({ terms, lines })
    return lines
  }
}

async function sendAlone(lines: OriginPools, request: OutboundRequest): Promise<OutboundResponse> {
  const line = lines.open(endsOf(request))
  try {
    return await new Exchange(line, request).answer
  } finally {
    lines.close(line)
  }
}

const endsOf = ({ url, proxy }: OutboundRequest): ConnectionEvents => ({
  origin: url.origin,
  proxy,
})
