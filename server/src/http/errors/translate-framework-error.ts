import { Failure } from '../../domain/failure.ts'

/** Errors of Fastify, by code. */
const framework: Record<string, () => Failure> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new Failure('PAYLOAD_TOO_LARGE', 'The body is larger than this service accepts.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Failure('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Failure('BAD_REQUEST', 'The body does not have the length that Content-Length says.'),
  FST_ERR_BAD_URL: () => new Failure('BAD_REQUEST', 'The URL is not well-formed.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Failure('URI_TOO_LONG', 'A part of the URL is too long.'),
}

interface FrameworkError extends Error {
  code?: string
  statusCode?: number
}

/** Unknown errors pass unchanged: they are bugs and get 500. */
export function translateFrameworkError(error: FrameworkError): Error {
  if (isBodyCut(error)) return new Failure('BAD_REQUEST', 'The body did not arrive completely.')
  const known = framework[error.code ?? '']?.()
  if (known) return known
  return isRefusal(error) ? new Failure('BAD_REQUEST', 'The request cannot be read.') : error
}

/** Other 4xx errors of Fastify are the caller's fault, not bugs. */
const isRefusal = ({ code = '', statusCode = 500 }: FrameworkError): boolean =>
  code.startsWith('FST_ERR_') && statusCode >= 400 && statusCode < 500

/** Only Fastify's body parser gives a lost connection a status. */
const isBodyCut = ({ code, statusCode }: FrameworkError): boolean =>
  code === 'ECONNRESET' && statusCode === 400
