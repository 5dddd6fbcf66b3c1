import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FailureCode, failures } from '../../domain/failure.ts'
import { ExtractionError, ExtractJob } from '../scrape/responses.ts'
import { toExtractionError } from './extraction-error.ts'

const cases: [failure: FailureCode, code: string][] = [
  ['TARGET_DNS_FAILED', 'NETWORK_ERROR'],
  ['TARGET_TIMEOUT', 'TIMEOUT'],
  ['EXPIRED', 'TIMEOUT'],
  ['URL_NOT_ALLOWED', 'INVALID_URL'],
  ['SELECTOR_NOT_FOUND', 'WAIT_FOR_SELECTOR_TIMEOUT'],
  ['BAD_RESPONSE', 'UNPROCESSABLE_CONTENT'],
  ['NO_PROXY_AVAILABLE', 'PROXY_ERROR'],
  ['BROWSER_CRASHED', 'INTERNAL_ERROR'],
  ['RATE_LIMITED', 'TEMPORARY_BLOCK'],
  ['CHALLENGE', 'CAPTCHA_CHALLENGE'],
  ['QUEUE_FULL', 'RATE_LIMITED'],
  ['CANCELLED', 'CANCELLED'],
]

for (const [failure, code] of cases) {
  test(`the failure ${failure} has the code ${code} in /v1 and its own as the reason`, () => {
    const error = toExtractionError({ code: failure, message: 'x' }, 'id')

    assert.deepEqual(error, {
      code,
      message: 'x',
      retryable: failures[failure].isRetryable,
      details: { reason: failure },
      correlation_id: 'id',
    })
  })
}

test('every failure has a code that the clients of /v1 know', () => {
  for (const code of Object.keys(failures) as FailureCode[]) {
    ExtractionError.parse(toExtractionError({ code, message: '' }, 'id'))
  }
})

test('a failed job matches the schema of /v1 jobs', () => {
  const error = toExtractionError({ code: 'CANCELLED', message: '' }, 'id')
  const job = {
    job_id: '0198c0de-0000-7000-8000-000000000000',
    status: 'failed',
    created_at: '2025-01-01T00:00:00.000Z',
    completed_at: '2025-01-01T00:00:01.000Z',
    data: null,
    metadata: null,
    error,
    tokens_charged: 0,
  }

  assert.deepEqual(ExtractJob.parse(job), job)
})
