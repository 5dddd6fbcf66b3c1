import { Failure, type FailureCode } from '../../domain/failure.ts'
import { notAllowedMessage } from '../../outbound/guard/egress-guard.ts'
import type { OutboundError, OutboundProblem } from '../../outbound/outbound-error.ts'

/** What a caller is told of an exchange that failed, and what helps. */
const meanings = {
  not_allowed: ['URL_NOT_ALLOWED', notAllowedMessage],
  dns: ['TARGET_DNS_FAILED', "The target's name could not be resolved; check the host in the URL."],
  unreachable: ['TARGET_UNREACHABLE', 'No connection to the target could be made.'],
  tls: ['TARGET_TLS_FAILED', "The target's certificate or TLS handshake is not good."],
  timeout: ['TARGET_TIMEOUT', 'The target took too long to connect, to answer or to go on.'],
  too_large: ['RESPONSE_TOO_LARGE', "The target's answer is larger than 20 MiB."],
  bad_response: [
    'BAD_RESPONSE',
    "The target's answer is not HTTP, has too much in its headers or is cut off.",
  ],
  proxy: ['PROXY_FAILED', 'The proxy refused or broke the connection.'],
  proxy_unusable: ['PROXY_FAILED', 'The proxy refused or broke the connection.'],
  aborted: ['SHUTTING_DOWN', 'This process is stopping; ask again, another one will answer.'],
} as const satisfies Record<OutboundProblem, readonly [FailureCode, string]>

export function toFailure(error: OutboundError): Failure {
  const [code, message] = meanings[error.problem]
  const isProxyUnusable = error.problem === 'proxy_unusable'
  return new Failure(code, message, { cause: error, isProxyUnusable })
}
