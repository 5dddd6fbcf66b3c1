import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideAfterSend, type SendOutcome } from './delivery.ts'

const scheduleMs = [0, 5_000, 30_000]
const answer = (statusCode: number, retryAfterSeconds?: number): SendOutcome => ({
  kind: 'answer',
  statusCode,
  retryAfterSeconds,
})
const decide = (outcome: SendOutcome, triesMade = 1, chance = 0.5) =>
  decideAfterSend({ outcome, triesMade, scheduleMs, chance })

test('any 2xx is a success', () => {
  for (const status of [200, 201, 202, 204, 299]) {
    assert.deepEqual(decide(answer(status)), { kind: 'delivered' })
  }
})

test('everything else comes again by the schedule, redirects and other 4xx too', () => {
  for (const status of [301, 302, 400, 404, 422, 500, 503]) {
    assert.deepEqual(decide(answer(status)), { kind: 'again', afterMs: 5_000 }, String(status))
  }
  assert.deepEqual(decide({ kind: 'error', message: 'refused' }, 2), {
    kind: 'again',
    afterMs: 30_000,
  })
})

test('pauses vary by a fifth', () => {
  assert.deepEqual(decide(answer(500), 1, 0), { kind: 'again', afterMs: 4_000 })
  assert.deepEqual(decide(answer(500), 1, 1), { kind: 'again', afterMs: 6_000 })
})

test('410 gives up for good', () => {
  assert.deepEqual(decide(answer(410)), { kind: 'given_up', isGone: true })
})

test('it is given up when the schedule is through', () => {
  assert.deepEqual(decide(answer(500), 3), { kind: 'given_up', isGone: false })
})

test('429 and 503 wait the longer of schedule and Retry-After, a day at most', () => {
  assert.deepEqual(decide(answer(429, 3600)), { kind: 'again', afterMs: 3_600_000 })
  assert.deepEqual(decide(answer(503, 1)), { kind: 'again', afterMs: 5_000 })
  assert.deepEqual(decide(answer(429, 9_999_999_999)), { kind: 'again', afterMs: 86_400_000 })
  assert.deepEqual(decide(answer(500, 3600)), { kind: 'again', afterMs: 5_000 })
})
