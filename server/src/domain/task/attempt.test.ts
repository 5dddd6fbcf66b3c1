import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FailureCode, failures } from '../failure.ts'
import { type AttemptOutcome, decideAfterAttempt } from './attempt.ts'

const totalMsMax = 15 * 60_000

const response = (statusCode: number, retryAfterSeconds?: number): AttemptOutcome => ({
  kind: 'page',
  statusCode,
  retryAfterSeconds,
})
const failure = (code: FailureCode): AttemptOutcome => ({ kind: 'failure', code, message: '' })

const decide = (
  outcome: AttemptOutcome,
  facts: Partial<Parameters<typeof decideAfterAttempt>[0]> = {},
) =>
  decideAfterAttempt({
    outcome,
    attemptsMade: 1,
    retries: { useRetries: true, maxRetries: 2 },
    usedMs: 0,
    totalMsMax,
    isRepeatable: true,
    proxy: null,
    earlier: [],
    random: 0.5,
    ...facts,
  })

test('a response with a final status ends the task', () => {
  for (const status of [200, 204, 301, 400, 401, 404, 410, 418]) {
    assert.deepEqual(decide(response(status)), { kind: 'end' }, String(status))
  }
})

test('a response with a temporary status is retried', () => {
  for (const status of [403, 407, 408, 425, 429, 500, 502, 503, 599]) {
    assert.equal(decide(response(status)).kind, 'retry', String(status))
  }
})

test('exactly the failures that another attempt may overcome are retried', () => {
  const retried = (Object.keys(failures) as FailureCode[]).filter(
    (code) => decide(failure(code)).kind === 'retry',
  )

  assert.deepEqual(retried.sort(), [
    'ACTION_FAILED',
    'BAD_RESPONSE',
    'BROWSER_CRASHED',
    'PROXY_FAILED',
    'SELECTOR_NOT_FOUND',
    'TARGET_DNS_FAILED',
    'TARGET_TIMEOUT',
    'TARGET_UNREACHABLE',
  ])
})

test('a TLS failure is retried once, and only if the attempt used a proxy', () => {
  const earlier = [{ ...record, outcome: 'TARGET_TIMEOUT' as const }]
  const twice = [...earlier, { ...record, outcome: 'TARGET_TLS_FAILED' as const }]
  const noTls = failure('TARGET_TLS_FAILED')

  assert.equal(decide(noTls, { proxy: 'berlin', earlier }).kind, 'retry')
  assert.equal(decide(noTls, { proxy: 'berlin', earlier: twice }).kind, 'end')
  assert.equal(decide(noTls).kind, 'end')
  assert.equal(decide(failure('TOO_MANY_REDIRECTS'), { proxy: 'berlin' }).kind, 'end')
})

const record = {
  engine: 'http',
  proxy: 'berlin',
  statusCode: null,
  startedAtMs: 0,
  durationMs: 0,
  queueMs: 0,
  timings: null,
} as const

test('the backoff of a task doubles from 0.5 s to 30 s, with a jitter of a fifth', () => {
  const many = { useRetries: true, maxRetries: 10 }
  const pauseMs = (attemptsMade: number, random: number) => {
    const next = decide(response(500), { attemptsMade, random: random, retries: many })
    assert(next.kind === 'retry')
    return next.afterMs
  }

  assert.deepEqual(
    [1, 2, 3, 7, 8].map((made) => pauseMs(made, 0.5)),
    [500, 1000, 2000, 30_000, 30_000],
  )
  assert.deepEqual([pauseMs(1, 0), pauseMs(1, 1)], [400, 600])
})

test('a Retry-After of the target is followed up to 30 s, and never shortens the backoff', () => {
  assert.deepEqual(decide(response(429, 7)), { kind: 'retry', afterMs: 7_000 })
  assert.deepEqual(decide(response(429, 0)), { kind: 'retry', afterMs: 500 })
  assert.deepEqual(decide(response(503, 3600)), { kind: 'retry', afterMs: 30_000 })
})

test('a task has at most as many retries as its options allow', () => {
  assert.equal(decide(response(500), { attemptsMade: 2 }).kind, 'retry')
  assert.equal(decide(response(500), { attemptsMade: 3 }).kind, 'end')
  assert.equal(decide(response(500), { retries: { useRetries: false, maxRetries: 5 } }).kind, 'end')
  assert.equal(decide(response(500), { retries: { useRetries: true, maxRetries: 0 } }).kind, 'end')
})

test('no attempt of a task begins after a quarter of an hour', () => {
  assert.equal(decide(response(500), { usedMs: totalMsMax - 1_000 }).kind, 'retry')
  assert.equal(decide(response(500), { usedMs: totalMsMax - 500 }).kind, 'end')
})
