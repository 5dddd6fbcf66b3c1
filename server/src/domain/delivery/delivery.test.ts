import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideAfterSend, type SendOutcome } from './delivery.ts'

const scheduleMs = [0, 5_000, 30_000]
const response = (statusCode: number, retryAfterSeconds?: number): SendOutcome => ({
  kind: 'response',
  statusCode,
  retryAfterSeconds,
})
const decide = (outcome: SendOutcome, attemptsMade = 1, random = 0.5) =>
  decideAfterSend({ outcome, attemptsMade, scheduleMs, random })

test('a delivery that gets any 2xx is delivered', () => {
  for (const status of [200, 201, 202, 204, 299]) {
    assert.deepEqual(decide(response(status)), { kind: 'delivered' })
  }
})

test('a delivery that gets any other status or an error is retried by the schedule', () => {
  for (const status of [301, 302, 400, 404, 422, 500, 503]) {
    assert.deepEqual(decide(response(status)), { kind: 'retry', afterMs: 5_000 }, String(status))
  }
  assert.deepEqual(decide({ kind: 'error', message: 'refused' }, 2), {
    kind: 'retry',
    afterMs: 30_000,
  })
})

test('the backoff between delivery attempts has a jitter of a fifth', () => {
  assert.deepEqual(decide(response(500), 1, 0), { kind: 'retry', afterMs: 4_000 })
  assert.deepEqual(decide(response(500), 1, 1), { kind: 'retry', afterMs: 6_000 })
})

test('a delivery that gets 410 is given up at once', () => {
  assert.deepEqual(decide(response(410)), { kind: 'given_up', isGone: true })
})

test('a delivery is given up when the schedule has no attempt left', () => {
  assert.deepEqual(decide(response(500), 3), { kind: 'given_up', isGone: false })
})

test('after 429 and 503 a delivery waits for the schedule or Retry-After, a day at most', () => {
  assert.deepEqual(decide(response(429, 3600)), { kind: 'retry', afterMs: 3_600_000 })
  assert.deepEqual(decide(response(503, 1)), { kind: 'retry', afterMs: 5_000 })
  assert.deepEqual(decide(response(429, 9_999_999_999)), { kind: 'retry', afterMs: 86_400_000 })
  assert.deepEqual(decide(response(500, 3600)), { kind: 'retry', afterMs: 5_000 })
})
