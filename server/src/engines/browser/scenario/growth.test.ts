import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayGrow } from './scroll.ts'

const quiet = 60_000

const cases: [about: string, sinceMs: number, dataQuietMs: number, expected: boolean][] = [
  ['more content is expected at once', 0, quiet, true],
  ['more content is expected until the pause is over', 999, quiet, true],
  ['no more content is expected after the pause', 1_000, quiet, false],
  ['more content is expected after the pause while data is loading', 1_000, 0, true],
  ['more content is expected right after data was loaded', 1_000, 99, true],
  ['no more content is expected 100 ms after data was loaded', 1_000, 100, false],
  ['no more content is expected from data that never ends', 6_000, 0, false],
]

for (const [about, sinceMs, dataQuietMs, expected] of cases) {
  test(`after a scroll: ${about}`, () => {
    assert.equal(mayGrow({ sinceMs, dataQuietMs }, 1_000), expected)
  })
}
