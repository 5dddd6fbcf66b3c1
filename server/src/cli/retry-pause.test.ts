import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../domain/failure.ts'
import { pollPauseMs, retryPauseMs } from './retry-pause.ts'
import { ServiceTimedOut, ServiceUnreachable } from './service-unreachable.ts'

const call = { failuresInARow: 1, random: 0.5 }
const limited = (retryAfterSeconds?: number) =>
  new Failure('RATE_LIMITED', '', retryAfterSeconds === undefined ? {} : { retryAfterSeconds })

test('a running job is read again after refusals that pass and lost connections', () => {
  const passing = [limited(), new ServiceUnreachable(), new ServiceTimedOut()]
  for (const error of passing) {
    assert.equal(retryPauseMs(error, { what: 'read', ...call }), 250, error.constructor.name)
  }
})

test('Retry-After is obeyed where it is longer than the own pause, up to a minute', () => {
  assert.equal(retryPauseMs(limited(7), { what: 'read', ...call }), 7000)
  assert.equal(retryPauseMs(limited(0), { what: 'read', ...call }), 250)
  assert.equal(retryPauseMs(limited(61), { what: 'read', ...call }), undefined)
})

test('pauses double up to ten seconds, and end after fifteen failures in a row', () => {
  const pauses = Array.from({ length: 16 }, (_, index) =>
    retryPauseMs(limited(), { what: 'read', failuresInARow: index + 1, random: 0.5 }),
  )

  assert.deepEqual(pauses.slice(0, 4), [250, 500, 1000, 2000])
  assert.equal(pauses[14], 10_000)
  assert.equal(pauses[15], undefined)
})

test('a refusal that does not pass is final', () => {
  for (const error of [
    new Failure('NOT_FOUND', ''),
    new Failure('UNAUTHORIZED', ''),
    new Error(),
  ]) {
    assert.equal(retryPauseMs(error, { what: 'read', ...call }), undefined)
  }
})

test('a new job is sent again only if the service says when, three times at most', () => {
  const start = (error: unknown, failuresInARow = 1) =>
    retryPauseMs(error, { what: 'start', failuresInARow, random: 0.5 })

  assert.equal(start(limited()), undefined)
  assert.equal(start(new ServiceUnreachable()), undefined)
  assert.equal(start(limited(1)), 1000)
  assert.equal(start(limited(1), 3), 1000)
  assert.equal(start(limited(1), 4), undefined)
})

test('a job is looked at soon at first and every two seconds in the end', () => {
  const pauses = [0, 1, 5, 30, 1e6].map((count) => Math.round(pollPauseMs(count)))

  assert.deepEqual(pauses, [150, 195, 557, 2000, 2000])
})
