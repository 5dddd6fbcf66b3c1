import { errors } from 'undici'
import { OutboundError, type OutboundProblem, outboundError } from './outbound-error.ts'

/** What an error of undici, of Node's parser or of a socket means; undefined for a fault of our own. */
export function exchangeProblem(
  error: Error,
  hasAnswerBegun: boolean,
): OutboundProblem | undefined {
  if (error instanceof OutboundError) return error.problem
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code in problems) return problems[code]
  if (isNoHttp(error)) return 'bad_response'
  // Also after the handshake: that is when a server says that it wants a certificate of ours.
  if (code.startsWith('ERR_SSL_')) return 'tls'
  if (lostConnection.has(code)) return hasAnswerBegun ? 'bad_response' : 'unreachable'
  return undefined
}

/**
 * The same where a proxy is between us and the target. A lost connection is then taken for its fault, and so
 * is what is no HTTP where it is the one we speak HTTP with.
 */
export function problemThrough<Problem extends OutboundProblem | undefined>(
  problem: Problem,
  { error, isRelayed, hasHead }: { error: unknown; isRelayed: boolean; hasHead: boolean },
): Problem | 'proxy' {
  if (problem === 'unreachable') return 'proxy'
  const isItsSpeech = problem === 'bad_response' && isRelayed && !hasHead
  return isItsSpeech && isNoHttp(error) ? 'proxy' : problem
}

/** An end before an answer, where a proxy is between us and the target: it is then told as the proxy's. */
export const attributedToProxy = (error: unknown): unknown =>
  error instanceof OutboundError && error.problem === 'unreachable'
    ? outboundError('proxy', error)
    : error

const isNoHttp = (error: unknown): boolean =>
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
