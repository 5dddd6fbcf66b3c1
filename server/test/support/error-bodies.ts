import assert from 'node:assert/strict'
import { type FailureCode, failures } from '../../src/domain/failure.ts'
import { ErrorObject, ErrorTextObject, statusOf, ValidationObject } from '../../src/http/problem.ts'

interface Answered {
  statusCode: number
  headers: Record<string, unknown>
  json(): unknown
}

/** Asserts that an answer is the documented body of a failure: shape, status, headers and advice agree. */
export function assertFailure(answer: Answered, code: FailureCode): Record<string, unknown> {
  const body = answer.json() as Record<string, unknown>
  const schema = code === 'VALIDATION_ERROR' ? ValidationObject : ErrorObject
  schema.strict().parse(body)
  assert.equal(answer.statusCode, statusOf[code])
  assertAdvice(answer, body, code)
  return body
}

/** The same for the whitelisted IPs, whose errors are also told as a text. */
export function assertTextFailure(answer: Answered, code: FailureCode): Record<string, unknown> {
  const body = answer.json() as Record<string, unknown>
  const isInvalid = code === 'VALIDATION_ERROR'
  ErrorTextObject.strict().parse(body)
  assert.equal(answer.statusCode, isInvalid ? 400 : statusOf[code])
  assert.equal(body['error'], isInvalid ? 'Invalid input data.' : body['message'])
  assertAdvice(answer, body, code)
  return body
}

function assertAdvice(answer: Answered, body: Record<string, unknown>, code: FailureCode): void {
  assert.equal(body['code'], code)
  assert.equal(body['retryable'], failures[code].isRetryable)
  assert.equal(body['correlation_id'], answer.headers['x-request-id'])
  assert.match(String(answer.headers['content-type']), /^application\/json/)
  if (answer.statusCode === 429 || answer.statusCode === 503) {
    assert.match(String(answer.headers['retry-after']), /^\d+$/)
  }
}

/** Where each fault is and of what kind it is: `body.url missing`. */
export const faultsIn = (answer: Answered): string[] =>
  (assertFailure(answer, 'VALIDATION_ERROR')['detail'] as { loc: string[]; type: string }[]).map(
    ({ loc, type }) => `${loc.join('.')} ${type}`,
  )

/** What is left of an error when the one thing that differs each time is taken out. */
export function withoutCorrelationId(answer: Answered): unknown {
  const { correlation_id, ...rest } = answer.json() as Record<string, unknown>
  assert.equal(typeof correlation_id, 'string')
  return { status: answer.statusCode, ...rest }
}
