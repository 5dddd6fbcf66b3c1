import type { AttemptTimings, Bandwidth, PageRequestRecord } from '../../domain/scrape/page.ts'
import type { OutboundResponse } from '../../outbound/client/http-client.ts'

/** Bytes, timings and requests of one task, summed over its exchanges, redirects included. */
export interface ExchangeTotals {
  readonly bandwidth: Bandwidth
  readonly timings: AttemptTimings
  readonly requests: PageRequestRecord[]
}

export const createExchangeTotals = (): ExchangeTotals => ({
  bandwidth: { received: 0, sent: 0, requests: 0 },
  timings: { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, downloadMs: 0 },
  requests: [],
})

export function addExchange(
  { bandwidth, timings, requests }: ExchangeTotals,
  url: URL,
  response: OutboundResponse,
): void {
  bandwidth.received += response.bytes.received
  bandwidth.sent += response.bytes.sent
  bandwidth.requests += 1
  const { dnsMs, connectMs, tlsMs, firstByteMs, downloadMs } = response.timings
  const startedMs = requests.reduce((sum, { durationMs }) => sum + durationMs, 0)
  timings.dnsMs += dnsMs
  timings.connectMs += connectMs
  timings.tlsMs += tlsMs
  timings.firstByteMs += firstByteMs
  timings.downloadMs += downloadMs
  requests.push({
    url: url.href,
    type: 'document',
    statusCode: response.statusCode,
    bytes: response.bytes.received,
    startedMs,
    durationMs: dnsMs + connectMs + tlsMs + firstByteMs + downloadMs,
    isBlocked: false,
  })
}
