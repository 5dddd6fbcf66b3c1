import assert from 'node:assert/strict'
import test from 'node:test'
import { sparkline, trendOf } from './trend.ts'

const samples = (valueAt: (index: number) => number): number[] =>
  Array.from({ length: 90 }, (_, index) => valueAt(index))

test('a series that grows only during warm-up is flat', () => {
  assert.equal(
    trendOf(
      samples((index) => Math.min(index * 10, 300)),
      1,
    ).isFlat,
    true,
  )
})

test('a series that goes up and down is flat', () => {
  assert.equal(
    trendOf(
      samples((index) => 300 + (index % 6) * 40),
      1,
    ).isFlat,
    true,
  )
})

test('a series that keeps growing is not flat', () => {
  const { isFlat, rise } = trendOf(
    samples((index) => 200 + index),
    1,
  )

  assert.equal(isFlat, false)
  assert.ok(Math.abs(rise - 59) < 1)
})

test('a series that grows by next to nothing is flat', () => {
  assert.equal(
    trendOf(
      samples((index) => 10 + index / 20),
      8,
    ).isFlat,
    true,
  )
})

test('a sparkline has at most forty bars, the highest for the maximum', () => {
  const line = sparkline(samples((index) => index))

  assert.equal(line.length, 40)
  assert.ok(line.startsWith('▁') && line.endsWith('█'))
})
