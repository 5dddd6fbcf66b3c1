import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfterSeconds } from './retry-after.ts'

const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0)

const cases: [header: string | undefined, seconds: number | undefined][] = [
  ['120', 120],
  [' 0 ', 0],
  ['Thu, 01 Jan 2026 12:00:30 GMT', 30],
  ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ['-1', undefined],
  ['99999999999', 99_999_999_999],
  ['soon', undefined],
  ['1.5', undefined],
  ['2026-01-01', undefined],
  ['', undefined],
  [undefined, undefined],
]

for (const [header, seconds] of cases) {
  const meaning = seconds === undefined ? 'is ignored' : `asks for ${seconds} s`
  test(`the header Retry-After ${JSON.stringify(header)} ${meaning}`, () => {
    assert.equal(retryAfterSeconds(header, nowMs), seconds)
  })
}
