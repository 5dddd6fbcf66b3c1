import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import type { AttemptTimings } from '../../domain/scrape/page.ts'
import type { Purpose } from '../guard/address-policy.ts'

/** One HTTP exchange with an address that the guard allows. Redirects are the caller's business. */
export interface HttpClient extends AsyncDisposable {
  send(request: OutboundRequest): Promise<OutboundResponse>
}

export interface OutboundRequest {
  method: 'GET' | 'POST'
  url: URL
  headers: Record<string, string>
  body?: Uint8Array | undefined
  purpose: Purpose
  limits: ExchangeLimits
  signal: AbortSignal
  /** Whether it may be sent again at once when a kept connection turns out to be dead; a GET always may. */
  isRepeatable?: boolean | undefined
  /** A body of more than a mebibyte is read on when there is room for as much as this. */
  reserveMemory?: ((bytes: number) => Promise<void>) | undefined
  /** Opens a connection of its own, so that every timing is this request's. */
  isMeasured?: boolean | undefined
  /** The only way to the target; without one it is dialled from here. */
  proxy?: ProxyRoute | undefined
}

export interface ExchangeLimits {
  /** Name, connection and handshake, each. */
  dnsMs: number
  connectMs: number
  tlsMs: number
  /** From the request being sent to the end of the answer's headers. */
  headersMs: number
  /** Between two pieces of the body. */
  idleMs: number
  /** For the whole body; unlimited where the signal is the only end. */
  bodyMs?: number | undefined
  headerBytesMax: number
  bodyBytesMax: number
  /** What lies beyond the body's limits is left unread instead of failing the exchange. */
  isBodyCut?: boolean | undefined
}

export interface OutboundResponse {
  statusCode: number
  /** As they came, names in lower case. */
  headers: [name: string, value: string][]
  /** As it came, not decoded. */
  body: Uint8Array
  /** It had no length: where the connection ended, so did the answer. */
  isEndedByClose: boolean
  timings: AttemptTimings
  /** On the wire: headers, and what it took to open a connection for it, included. */
  bytes: { sent: number; received: number }
}
