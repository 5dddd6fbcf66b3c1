import { Failure, type FailureCode } from '../../../domain/failure.ts'

/** Chromium's network errors (`net::ERR_…`) as failures for the caller. */
const failuresByError: readonly (readonly [RegExp, FailureCode, string])[] = [
  [/ERR_NAME_|ERR_DNS_/, 'TARGET_DNS_FAILED', "The target's name could not be resolved."],
  [
    /ERR_CERT_|ERR_SSL_|ERR_BAD_SSL/,
    'TARGET_TLS_FAILED',
    "The target's certificate or TLS handshake is not good.",
  ],
  [/TIMED_OUT/, 'TARGET_TIMEOUT', 'The target took too long to connect, to answer or to go on.'],
  [/ERR_TOO_MANY_REDIRECTS/, 'TOO_MANY_REDIRECTS', 'The target redirected too often.'],
  [
    /ERR_UNSAFE_|ERR_UNKNOWN_URL_SCHEME|ERR_DISALLOWED|ERR_BLOCKED|ERR_ACCESS_DENIED|ERR_UNSAFE_REDIRECT/,
    'URL_NOT_ALLOWED',
    'The target leads to a URL that must not be opened.',
  ],
  [
    /ERR_INVALID_|ERR_CONTENT_|ERR_RESPONSE_|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_HTTP2|ERR_ENCODING|ERR_UNEXPECTED|ERR_INCONSISTENT/,
    'BAD_RESPONSE',
    "The target's answer is not HTTP, has too much in its headers or is cut off.",
  ],
]

export function explainNetError(
  errorText: string,
  { hasResponse, isProxied }: { hasResponse: boolean; isProxied: boolean },
): Failure {
  const known = failuresByError.find(([pattern]) => pattern.test(errorText))
  const isProxyFault = isProxied && !hasResponse && (!known || noResponse.test(errorText))
  const other = isProxyFault ? ofProxy : known
  const [, code, message] = other ?? (hasResponse ? cutOff : unreachable)
  return new Failure(code, message, { cause: errorText })
}

const cutOff = [undefined, 'BAD_RESPONSE', "The target's answer was cut off."] as const
const unreachable = [
  undefined,
  'TARGET_UNREACHABLE',
  'No connection to the target could be made.',
] as const

/** An empty response through a proxy's tunnel is blamed on the proxy. */
const noResponse = /ERR_EMPTY_RESPONSE/
const ofProxy = [undefined, 'PROXY_FAILED', 'The proxy refused or broke the connection.'] as const
