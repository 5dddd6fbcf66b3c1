import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseEvictions } from './choose-evictions.ts'

const results = ['oldest', 'middle', 'newest'].map((taskId) => ({
  taskId,
  bytes: 10,
  isHeld: false,
}))

test('an account within its storage limit loses no result', () => {
  const chosen = chooseEvictions(results, { totalBytes: 30, bytesMax: 30 })

  assert.deepEqual(chosen, { taskIds: [], remainingBytes: 30 })
})

test('the oldest results are evicted until the rest is within the storage limit', () => {
  const chosen = chooseEvictions(results, { totalBytes: 30, bytesMax: 19 })

  assert.deepEqual(chosen, { taskIds: ['oldest', 'middle'], remainingBytes: 10 })
})

test('a result with a pending delivery is kept, and the next oldest is evicted instead', () => {
  const held = results.map((one) => ({ ...one, isHeld: one.taskId === 'oldest' }))

  const chosen = chooseEvictions(held, { totalBytes: 30, bytesMax: 20 })

  assert.deepEqual(chosen, { taskIds: ['middle'], remainingBytes: 20 })
})

test('an account whose results all have pending deliveries stays above its storage limit', () => {
  const held = results.map((one) => ({ ...one, isHeld: true }))

  const chosen = chooseEvictions(held, { totalBytes: 30, bytesMax: 20 })

  assert.deepEqual(chosen, { taskIds: [], remainingBytes: 30 })
})
