import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBytes, parseDurationMs } from './units.ts'

test('durations are parsed to milliseconds', () => {
  const cases = {
    '0s': 0,
    '250ms': 250,
    '30s': 30_000,
    '1.5m': 90_000,
    '72h': 259_200_000,
    '1d': 86_400_000,
  }
  for (const [text, ms] of Object.entries(cases)) assert.equal(parseDurationMs(text), ms, text)
})

test('sizes are parsed to bytes, in upper or lower case', () => {
  const cases = { '1b': 1, '256kb': 262_144, '10MB': 10_485_760, '1 gb': 1_073_741_824 }
  for (const [text, bytes] of Object.entries(cases)) assert.equal(parseBytes(text), bytes, text)
})

test('text without a number and a known unit is no quantity', () => {
  for (const text of ['', '5', 's', '-1s', '1 week', '1s1s', 'kb', '1e3s']) {
    assert.equal(parseDurationMs(text), undefined, text)
    assert.equal(parseBytes(text), undefined, text)
  }
})
