import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lateConversion } from './late-conversion.ts'

const cases: [used: Parameters<typeof lateConversion>[0], code: string][] = [
  [{ fetchMs: 900, waitMs: 50, convertMs: 50 }, 'TARGET_TIMEOUT'],
  [{ fetchMs: 100, waitMs: 800, convertMs: 100 }, 'OVERLOADED'],
  [{ fetchMs: 100, waitMs: 100, convertMs: 800 }, 'CONTENT_TOO_COMPLEX'],
  [{ fetchMs: 300, waitMs: 400, convertMs: 300 }, 'OVERLOADED'],
  [{ fetchMs: 1, waitMs: 0, convertMs: 1 }, 'CONTENT_TOO_COMPLEX'],
]

for (const [used, code] of cases) {
  test(`a conversion that ends too late after ${JSON.stringify(used)} is ${code}`, () => {
    assert.equal(lateConversion(used).code, code)
  })
}
