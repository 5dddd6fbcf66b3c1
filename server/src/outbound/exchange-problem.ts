import { errors } from 'undici'
import { OutboundError, type OutboundProblem, outboundError } from './outbound-error.ts'

/** Classifies an error of undici, Node's HTTP parser or a socket; undefined if it is our own bug. */
export function exchangeProblem(
  error: Error,
  hasResponseBegun: boolean,
): OutboundProblem | undefined {
  if (error instanceof OutboundError) return error.problem
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code in problems) return problems[code]
  if (isInvalidHttp(error)) return 'bad_response'
  // This can come after the handshake too: then the server asks for a client certificate.
  if (code.startsWith('ERR_SSL_')) return 'tls'
  if (lostConnection.has(code)) return hasResponseBegun ? 'bad_response' : 'unreachable'
  return undefined
}

/**
 * Classifies a problem of an exchange that goes through a proxy. A lost connection is blamed on the proxy, and so
 * is invalid HTTP where the proxy itself relays the HTTP requests.
 */
export function problemThroughProxy<Problem extends OutboundProblem | undefined>(
  problem: Problem,
  { error, isRelayed, hasHead }: { error: unknown; isRelayed: boolean; hasHead: boolean },
): Problem | 'proxy' {
  if (problem === 'unreachable') return 'proxy'
  const isProxyFault = problem === 'bad_response' && isRelayed && !hasHead
  return isProxyFault && isInvalidHttp(error) ? 'proxy' : problem
}

/** Reports a connection through a proxy that was lost before a response as the proxy's problem. */
export const attributedToProxy = (error: unknown): unknown =>
  error instanceof OutboundError && error.problem === 'unreachable'
    ? outboundError('proxy', error)
    : error

const isInvalidHttp = (error: unknown): boolean =>
  error instanceof errors.HTTPParserError ||
  String((error as { code?: unknown } | undefined)?.code).startsWith('HPE_')

const problems: Record<string, OutboundProblem> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'bad_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'bad_response',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
  UND_ERR_ABORTED: 'aborted',
}

const lostConnection = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
])
