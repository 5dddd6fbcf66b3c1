import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countdownText } from './countdown-text.ts'

test('the time left is told in hours, minutes and seconds, as far as there are any', () => {
  assert.equal(countdownText(-5), 'now')
  assert.equal(countdownText(400), 'in 1 s')
  assert.equal(countdownText(60_000), 'in 1 min')
  assert.equal(countdownText(3_600_000 + 61_000), 'in 1 h 1 min 1 s')
  assert.equal(countdownText(2 * 3_600_000), 'in 2 h')
})
