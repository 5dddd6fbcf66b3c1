import { Failure } from '../domain/failure.ts'

/** What Fastify refuses by itself, in our words. */
const framework: Record<string, () => Failure> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new Failure('PAYLOAD_TOO_LARGE', 'The body is larger than this service takes.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Failure('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Failure('BAD_REQUEST', 'The body does not have the length announced.'),
  FST_ERR_BAD_URL: () => new Failure('BAD_REQUEST', 'The URL is not well-formed.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Failure('URI_TOO_LONG', 'A part of the URL is too long.'),
}

interface FrameworkError extends Error {
  code?: string
  statusCode?: number
}

/** Errors we do not know pass unchanged: they are bugs, and are answered as such. */
export function translateFrameworkError(error: FrameworkError): Error {
  if (isBodyCut(error)) return new Failure('BAD_REQUEST', 'The body was cut off.')
  const known = framework[error.code ?? '']?.()
  if (known) return known
  return isRefusal(error) ? new Failure('BAD_REQUEST', 'The request cannot be read.') : error
}

/** Whatever else Fastify finds wrong with a request is the caller's fault, and no bug. */
const isRefusal = ({ code = '', statusCode = 500 }: FrameworkError): boolean =>
  code.startsWith('FST_ERR_') && statusCode >= 400 && statusCode < 500

/** Only Fastify's reader of bodies gives a lost connection a status. */
const isBodyCut = ({ code, statusCode }: FrameworkError): boolean =>
  code === 'ECONNRESET' && statusCode === 400
