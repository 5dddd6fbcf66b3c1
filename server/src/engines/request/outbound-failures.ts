import { Failure, type FailureCode } from '../../domain/failure.ts'
import type { OutboundError, OutboundProblem } from '../../outbound/outbound-error.ts'

const failureByProblem = {
  // The egress guard's own message, which says nothing about the network.
  not_allowed: ['URL_NOT_ALLOWED', undefined],
  dns: ['TARGET_DNS_FAILED', "The target's name could not be resolved; check the host in the URL."],
  dns_silent: [
    'TARGET_DNS_FAILED',
    "No DNS server answered for the target's name; the operator can choose others with TRAWL_DNS_SERVERS.",
  ],
  unreachable: ['TARGET_UNREACHABLE', 'No connection to the target could be made.'],
  tls: ['TARGET_TLS_FAILED', "The target's certificate is not valid or the TLS handshake failed."],
  timeout: ['TARGET_TIMEOUT', 'The target took too long to connect, to respond or to send on.'],
  too_large: ['RESPONSE_TOO_LARGE', "The target's response is larger than 20 MiB."],
  bad_response: [
    'BAD_RESPONSE',
    "The target's response is not HTTP, has headers that are too large or is cut off.",
  ],
  proxy: ['PROXY_FAILED', 'The proxy refused or broke the connection.'],
  proxy_unusable: ['PROXY_FAILED', 'The proxy refused or broke the connection.'],
  aborted: ['SHUTTING_DOWN', 'This process is stopping; send the request again.'],
} as const satisfies Record<OutboundProblem, readonly [FailureCode, string | undefined]>

export function toFailure(error: OutboundError): Failure {
  const [code, message] = failureByProblem[error.problem]
  const isProxyUnusable = error.problem === 'proxy_unusable'
  return new Failure(code, message ?? error.message, { cause: error, isProxyUnusable })
}
