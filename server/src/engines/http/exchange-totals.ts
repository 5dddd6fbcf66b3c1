import type { AttemptTimings, Bandwidth, PageRequestRecord } from '../../domain/scrape/page.ts'
import type { OutboundResponse } from '../../outbound/client/http-client.ts'

/** What one task's exchanges add up to, redirects included. */
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
  added: OutboundResponse,
): void {
  bandwidth.received += added.bytes.received
  bandwidth.sent += added.bytes.sent
  bandwidth.requests += 1
  const { dnsMs, connectMs, tlsMs, firstByteMs, downloadMs } = added.timings
  timings.dnsMs += dnsMs
  timings.connectMs += connectMs
  timings.tlsMs += tlsMs
  timings.firstByteMs += firstByteMs
  timings.downloadMs += downloadMs
  requests.push({
    url: url.href,
    type: 'document',
    statusCode: added.statusCode,
    bytes: added.bytes.received,
    durationMs: dnsMs + connectMs + tlsMs + firstByteMs + downloadMs,
    isBlocked: false,
  })
}
