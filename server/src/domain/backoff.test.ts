import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffMs, jitterMs } from './backoff.ts'

test('backoff doubles with every failure in a row, up to its maximum', () => {
  const waits = [1, 2, 3, 4, 2_000].map((failures) =>
    backoffMs(failures, { firstMs: 500, msMax: 3_000 }),
  )

  assert.deepEqual(waits, [500, 1_000, 2_000, 3_000, 3_000])
})

test('jitter moves a pause by a fifth either way, or by the spread it is given', () => {
  const byAFifth = [0, 0.5, 1].map((random) => jitterMs(1_000, random))
  const byAll = [0, 1].map((random) => jitterMs(1_000, random, 1))

  assert.deepEqual(byAFifth, [800, 1_000, 1_200])
  assert.deepEqual(byAll, [0, 2_000])
})
