import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCollectionDue } from './collect-when-idle.ts'

const due = { utilization: 0.01, grownBytes: 20 * 2 ** 20, sinceCollectedMs: 60_000 }

test('a thread collects garbage when it is idle after a burst of work', () => {
  assert.equal(isCollectionDue(due), true)
  assert.equal(isCollectionDue({ ...due, sinceCollectedMs: Number.POSITIVE_INFINITY }), true)
})

for (const [why, activity] of Object.entries({
  'while it works': { utilization: 0.1 },
  'where little is to be had': { grownBytes: 2 ** 20 },
  'again and again': { sinceCollectedMs: 10_000 },
})) {
  test(`a thread does not collect garbage ${why}`, () => {
    assert.equal(isCollectionDue({ ...due, ...activity }), false)
  })
}
