import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refetchPauseMs } from './refetch-pause.ts'

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
