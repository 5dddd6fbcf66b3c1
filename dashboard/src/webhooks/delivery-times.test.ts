import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countdownText, localMinute, refetchPauseMs } from './delivery-times.ts'

test('the time left is told in hours, minutes and seconds, as far as there are any', () => {
  assert.equal(countdownText(-5), 'now')
  assert.equal(countdownText(400), 'in 1 s')
  assert.equal(countdownText(60_000), 'in 1 min')
  assert.equal(countdownText(3_600_000 + 61_000), 'in 1 h 1 min 1 s')
  assert.equal(countdownText(2 * 3_600_000), 'in 2 h')
})

test('a local minute stands for the same time when it is read in the same zone', () => {
  const atMs = Date.parse('2026-03-01T23:59:00.000Z')

  const text = localMinute(atMs)

  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d$/)
  assert.equal(new Date(text).getTime(), atMs)
})

const nowMs = 10_000_000
const nothing = { hasPending: false, dueAtMs: 0, resentAtMs: 0 }

test('deliveries that have all ended are not read again', () => {
  assert.equal(refetchPauseMs(nothing, nowMs), false)
  assert.equal(refetchPauseMs({ ...nothing, dueAtMs: nowMs }, nowMs), false)
})

test('a new one is read again soon, one that waits for a retry later', () => {
  const pending = { ...nothing, hasPending: true }

  assert.equal(refetchPauseMs({ ...pending, dueAtMs: nowMs - 500 }, nowMs), 1_000)
  assert.equal(refetchPauseMs({ ...pending, dueAtMs: nowMs - 3_600_000 }, nowMs), 10_000)
  assert.equal(refetchPauseMs({ ...pending, dueAtMs: nowMs + 3_600_000 }, nowMs), 10_000)
  assert.equal(refetchPauseMs({ ...pending, dueAtMs: nowMs + 2_000 }, nowMs), 1_000)
})

test('what was sent again is watched for a minute, whatever its status says', () => {
  assert.equal(refetchPauseMs({ ...nothing, resentAtMs: nowMs - 5_000 }, nowMs), 1_000)
  assert.equal(refetchPauseMs({ ...nothing, resentAtMs: nowMs - 70_000 }, nowMs), false)
})

test('a large body is not read every second', () => {
  const large = { ...nothing, resentAtMs: nowMs, bodyLength: 5_000_000 }

  assert.equal(refetchPauseMs(large, nowMs), 10_000)
})
