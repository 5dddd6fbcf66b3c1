import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linePath } from './line-path.ts'

const box = { width: 100, height: 24 }

test('a line goes from the left to the right, its highest value at the top', () => {
  assert.equal(linePath([0, 5, 10], box), 'M0 23L50 12L100 1')
})

test('a missing value leaves a gap in a line, and a value alone is a dot', () => {
  assert.equal(linePath([1, 1, null, 1], box), 'M0 1L33.33 1M100 1h0')
})

test('a line of zeros lies at the bottom, and nothing gives no line', () => {
  assert.equal(linePath([0, 0], box), 'M0 23L100 23')
  assert.equal(linePath([], box), '')
})
