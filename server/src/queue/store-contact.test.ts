import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreContact } from './store-contact.ts'

const heartbeatMs = 100

/** Whether the contact is steady after each of these answers. */
function steadyAt(answersAtMs: readonly number[]): boolean[] {
  const contact = new StoreContact(heartbeatMs, 0)
  return answersAtMs.map((atMs) => {
    contact.answered(atMs)
    return contact.isSteady
  })
}

test('the contact with the store is steady two heartbeats after the start', () => {
  assert.deepEqual(steadyAt([100, 200, 300]), [false, true, true])
})

test('after a gap the contact is steady again two heartbeats after the first answer', () => {
  assert.deepEqual(steadyAt([100, 200, 1_000, 1_100, 1_199, 1_200]), [
    false,
    true,
    false,
    false,
    false,
    true,
  ])
})

test('heartbeats that are late, or two that are missed, are no gap', () => {
  assert.deepEqual(steadyAt([100, 200, 390, 690]), [false, true, true, true])
})
