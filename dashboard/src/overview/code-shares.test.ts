import assert from 'node:assert/strict'
import { test } from 'node:test'
import { otherCodes, shareOfCodes } from './code-shares.ts'

const points = [
  { codes: { TARGET_TIMEOUT: 3, PROXY_FAILED: 1 } },
  { codes: {} },
  { codes: { PROXY_FAILED: 1, INTERNAL_ERROR: 1, BROWSER_CRASHED: 2 } },
]
const codes = ['TARGET_TIMEOUT', 'PROXY_FAILED', 'BROWSER_CRASHED', 'INTERNAL_ERROR']

test('the shares of a step add up to the whole, and a step without failures has none', () => {
  const shares = shareOfCodes(points, codes, 6)

  assert.deepEqual(
    shares.map(({ code }) => code),
    codes,
  )
  assert.deepEqual(
    shares.map(({ percents }) => percents),
    [
      [75, null, 0],
      [25, null, 25],
      [0, null, 50],
      [0, null, 25],
    ],
  )
})

test('codes beyond the number of lines are one line', () => {
  const shares = shareOfCodes(points, codes, 3)

  assert.deepEqual(
    shares.map(({ code }) => code),
    ['TARGET_TIMEOUT', 'PROXY_FAILED', otherCodes],
  )
  assert.deepEqual(shares[2]?.percents, [0, null, 75])
})
