import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endedPercent, ringArcs } from './ring-arcs.ts'

const counts = (completed: number, failed: number, cancelled: number, pending: number) => ({
  total: completed + failed + cancelled + pending,
  completed,
  failed,
  cancelled,
  pending,
})

test('the parts of the ring follow one another, and leave out what is pending', () => {
  assert.deepEqual(ringArcs(counts(5, 2, 0, 3)), [
    { state: 'completed', from: 0, length: 50 },
    { state: 'failed', from: 50, length: 20 },
  ])
  assert.deepEqual(ringArcs(counts(0, 0, 0, 0)), [])
})

test('a job is never said to be done, or not begun, before it is', () => {
  assert.equal(endedPercent(counts(0, 0, 0, 9)), 0)
  assert.equal(endedPercent(counts(1, 0, 0, 9_999)), 1)
  assert.equal(endedPercent(counts(9_998, 1, 0, 1)), 99)
  assert.equal(endedPercent(counts(1, 1, 1, 0)), 100)
})
