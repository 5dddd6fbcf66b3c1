import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import type { AttemptTimings } from '../../domain/scrape/page.ts'
import type { BudgetShare } from '../../runtime/sharing/memory-budget.ts'
import type { Purpose } from '../guard/address-policy.ts'

/** Does one HTTP exchange with an address that the egress guard allows. It follows no redirects. */
export interface HttpClient extends AsyncDisposable {
  send(request: OutboundRequest): Promise<OutboundResponse>
}

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: URL
  /** Whose request it is: accounts share no connection. */
  accountId?: string | undefined
  headers: Record<string, string>
  body?: Uint8Array | undefined
  purpose: Purpose
  limits: ExchangeLimits
  signal: AbortSignal
  /** Whether to send it again if an idle keep-alive connection turns out to be dead; a GET always is. */
  isRepeatable?: boolean | undefined
  /** A body of more than a mebibyte reserves memory here as its bytes come. */
  memory?: Pick<BudgetShare, 'reserve' | 'isWanted'> | undefined
  /** Uses a new connection, so that every timing belongs to this request. */
  isMeasured?: boolean | undefined
  /** The upstream proxy to use; without one the target is dialled directly. */
  proxy?: ProxyRoute | undefined
}

export interface ExchangeLimits {
  /** Timeouts of the DNS lookup, the connection and the TLS handshake. */
  dnsMs: number
  connectMs: number
  tlsMs: number
  /** From sending the request to the end of the response's headers. */
  headersMs: number
  /** Between two pieces of the body. */
  idleMs: number
  /** For the whole body; without it only the signal ends the body. */
  bodyMs?: number | undefined
  headerBytesMax: number
  bodyBytesMax: number
  /** A body beyond its limits is truncated instead of failing the exchange. */
  isBodyCut?: boolean | undefined
}

export interface OutboundResponse {
  statusCode: number
  /** In the order received, names in lower case. */
  headers: [name: string, value: string][]
  /** As received, not decoded. */
  body: Uint8Array
  /** The response had no length: the end of the connection was its end. */
  isEndedByClose: boolean
  timings: AttemptTimings
  /** Bytes on the wire, including headers and opening the connection. */
  bytes: { sent: number; received: number }
}
