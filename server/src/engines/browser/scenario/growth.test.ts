import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayGrow } from './growth.ts'

const quiet = 60_000

const cases: [about: string, sinceMs: number, dataQuietMs: number, isSo: boolean][] = [
  ['at once something may come', 0, quiet, true],
  ['within the pause too', 999, quiet, true],
  ['after the pause nothing is to be expected', 1_000, quiet, false],
  ['unless data is under way', 1_000, 0, true],
  ['or has only just come', 1_000, 99, true],
  ['which does not take long', 1_000, 100, false],
  ['data that never ends is not waited for', 6_000, 0, false],
]

for (const [about, sinceMs, dataQuietMs, isSo] of cases) {
  test(`after a scroll: ${about}`, () => {
    assert.equal(mayGrow({ sinceMs, dataQuietMs }, 1_000), isSo)
  })
}
