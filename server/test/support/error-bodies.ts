import assert from 'node:assert/strict'
import { type FailureCode, failures } from '../../src/domain/failure.ts'
import {
  ErrorObject,
  ErrorTextObject,
  statusOf,
  ValidationObject,
} from '../../src/http/errors/problem.ts'

interface ResponseLike {
  statusCode: number
  headers: Record<string, unknown>
  json(): unknown
}

/** Asserts that a response is the documented error: shape, status, headers and advice agree. */
export function assertFailure(response: ResponseLike, code: FailureCode): Record<string, unknown> {
  const body = response.json() as Record<string, unknown>
  const schema = code === 'VALIDATION_ERROR' ? ValidationObject : ErrorObject
  schema.strict().parse(body)
  assert.equal(response.statusCode, statusOf[code])
  assertAdvice(response, body, code)
  return body
}

/** Asserts the same for the whitelisted-IP routes, whose errors also have a text. */
export function assertTextFailure(
  response: ResponseLike,
  code: FailureCode,
): Record<string, unknown> {
  const body = response.json() as Record<string, unknown>
  const isInvalid = code === 'VALIDATION_ERROR'
  ErrorTextObject.strict().parse(body)
  assert.equal(response.statusCode, isInvalid ? 400 : statusOf[code])
  assert.equal(body['error'], isInvalid ? 'Invalid input data.' : body['message'])
  assertAdvice(response, body, code)
  return body
}

function assertAdvice(
  response: ResponseLike,
  body: Record<string, unknown>,
  code: FailureCode,
): void {
  assert.equal(body['code'], code)
  assert.equal(body['retryable'], failures[code].isRetryable)
  assert.equal(body['correlation_id'], response.headers['x-request-id'])
  assert.match(String(response.headers['content-type']), /^application\/json/)
  if (response.statusCode === 429 || response.statusCode === 503) {
    const { isRetryable } = failures[code]
    assert.match(String(response.headers['retry-after']), isRetryable ? /^\d+$/ : /^undefined$/)
  }
}

/** Lists place and kind of each validation error: `body.url missing`. */
export const faultsIn = (response: ResponseLike): string[] =>
  (assertFailure(response, 'VALIDATION_ERROR')['detail'] as { loc: string[]; type: string }[]).map(
    ({ loc, type }) => `${loc.join('.')} ${type}`,
  )

/** The error without its correlation id, which differs in every response. */
export function withoutCorrelationId(response: ResponseLike): unknown {
  const { correlation_id, ...rest } = response.json() as Record<string, unknown>
  assert.equal(typeof correlation_id, 'string')
  return { status: response.statusCode, ...rest }
}
