import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceOf } from './step.ts'

test('an action waits as long as the visit lasts', () => {
  assert.equal(patienceOf({ leftMs: 60_000, isOptional: false }), Number.POSITIVE_INFINITY)
})

test('an optional one leaves time to the others', () => {
  assert.equal(patienceOf({ leftMs: 60_000, isOptional: true }), 5_000)
  assert.equal(patienceOf({ leftMs: 4_000, isOptional: true }), 2_000)
})
