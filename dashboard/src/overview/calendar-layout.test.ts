import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CalendarDay, layOutCalendar, levelMax } from './calendar-layout.ts'

const daysFrom = (first: string, counts: readonly number[]): CalendarDay[] =>
  counts.map((count, index) => ({
    date: new Date(Date.parse(first) + index * 86_400_000).toISOString(),
    count,
  }))

test('weeks begin on Monday, and the first one may begin later', () => {
  // A Saturday.
  const { squares, columnCount } = layOutCalendar(daysFrom('2026-02-28', [0, 0, 0, 0]))

  assert.deepEqual(
    squares.map(({ column, row }) => [column, row]),
    [
      [0, 5],
      [0, 6],
      [1, 0],
      [1, 1],
    ],
  )
  assert.equal(columnCount, 2)
})

test('a year has 53 weeks at most and the name of each month where it begins', () => {
  const { columnCount, months } = layOutCalendar(daysFrom('2026-03-01', Array(365).fill(0)))

  assert.equal(columnCount, 53)
  assert.equal(months.length, 12)
  assert.deepEqual(months.slice(0, 2), [
    { name: 'Mar', column: 0 },
    { name: 'Apr', column: 5 },
  ])
})

test('a busy day does not make all others look like none', () => {
  const { squares } = layOutCalendar(daysFrom('2026-03-02', [0, 1, 10, 1_000, 100_000]))

  assert.deepEqual(
    squares.map(({ level }) => level),
    [0, 1, 1, 3, levelMax],
  )
})

test('without days there are no squares', () => {
  assert.deepEqual(layOutCalendar([]), { squares: [], columnCount: 0, months: [] })
})
