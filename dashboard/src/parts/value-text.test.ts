import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesText, countText, durationText, shareText, timeText } from './value-text.ts'

test('a duration is written in the largest unit that it fills', () => {
  const texts = [null, 0, 999, 1_500, 60_000, 90_000, 7_200_000].map(durationText)

  assert.deepEqual(texts, ['–', '0 ms', '999 ms', '1.5 s', '1 min', '1.5 min', '2 h'])
})

test('a share is never rounded up to everything', () => {
  assert.equal(shareText(9_999, 10_000), '99.9 %')
  assert.equal(shareText(10, 10), '100 %')
  assert.equal(shareText(0, 0), '–')
})

test('large numbers are shortened, small ones are exact', () => {
  assert.equal(countText(9_999), '9,999')
  assert.equal(countText(1_234_567), '1.2M')
  assert.deepEqual([2_500, 2_500_000, 18e9].map(bytesText), ['2.5 kB', '2.5 MB', '18 GB'])
})

test('the hour after midnight is the hour 00', () => {
  assert.equal(timeText(new Date(2026, 2, 1, 0, 5).getTime()), '00:05')
})
