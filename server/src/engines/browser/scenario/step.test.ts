import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeoutOf } from './step.ts'

test('an action may wait until the deadline of the visit', () => {
  assert.equal(timeoutOf({ leftMs: 60_000, isOptional: false }), Number.POSITIVE_INFINITY)
})

test('an optional action waits at most 5 seconds and half of the remaining time', () => {
  assert.equal(timeoutOf({ leftMs: 60_000, isOptional: true }), 5_000)
  assert.equal(timeoutOf({ leftMs: 4_000, isOptional: true }), 2_000)
})
