import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ticksUpTo, timePicture } from './time-rows.ts'

test('an axis has a few round numbers, however long it is', () => {
  assert.deepEqual(ticksUpTo(112), [0, 50, 100])
  assert.deepEqual(ticksUpTo(1), [0, 0.2, 0.4, 0.6, 0.8, 1])
  assert.deepEqual(ticksUpTo(90_000), [0, 20_000, 40_000, 60_000, 80_000])
  for (const ms of [3, 77, 4_999, 1e7]) {
    const { length } = ticksUpTo(ms)
    assert.ok(length >= 3 && length <= 6, `${ms}: ${length}`)
  }
})

test('a time that cannot be drawn is none', () => {
  const bar = { name: 'a', kind: 'network' } as const

  const { rows, totalMs } = timePicture([
    { name: 'a', note: '', bars: [{ ...bar, startMs: -5, durationMs: -1 }] },
    { name: 'b', note: '', bars: [{ ...bar, startMs: Number.NaN, durationMs: 7 }] },
  ])

  assert.deepEqual(
    rows.flatMap(({ bars }) => bars.map(({ startMs, durationMs }) => [startMs, durationMs])),
    [
      [0, 0],
      [0, 7],
    ],
  )
  assert.equal(totalMs, 7)
})
