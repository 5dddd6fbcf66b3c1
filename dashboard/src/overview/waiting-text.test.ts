import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oldestText } from './waiting-text.ts'

const cases = [
  { waiting: 0, oldestAgeMs: 0, text: 'nothing waits' },
  { waiting: 3, oldestAgeMs: 4_200, text: 'the oldest for 4.2 s' },
  { waiting: 3, oldestAgeMs: 0, text: 'to be tried again' },
]
for (const { waiting, oldestAgeMs, text } of cases) {
  test(`${waiting} waiting, the oldest unstarted one for ${oldestAgeMs} ms: "${text}"`, () => {
    assert.equal(oldestText(waiting, oldestAgeMs), text)
  })
}
