import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chartData, linesInOrder } from './chart-data.ts'

const times = ['1970-01-01T00:00:01.000Z', 2_000]
const completed = { label: 'Completed', token: '--series-1', values: [1, null] }
const failed = { label: 'Failed', token: '--series-2', values: [2, 3] }

test('lines are drawn as they are, with gaps', () => {
  const data = chartData(times, [completed, failed], false)

  assert.deepEqual(data, [
    [1, 2],
    [1, null],
    [2, 3],
  ])
})

test('stacked lines end where the sum of those below them does, and the highest is drawn first', () => {
  const data = chartData(times, [completed, failed], true)

  assert.deepEqual(data, [
    [1, 2],
    [3, 3],
    [1, 0],
  ])
  assert.deepEqual(linesInOrder([completed, failed], true), [failed, completed])
})
