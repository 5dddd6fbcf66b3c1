import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoTime } from './iso-time.ts'

test('isoTime gives the same text as Date.toISOString', () => {
  const times = fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 })
  fc.assert(
    fc.property(fc.oneof(times, fc.nat(4_102_444_800_000)), (ms) => {
      assert.equal(isoTime(ms), new Date(ms).toISOString())
    }),
    { numRuns: 2000 },
  )
})
