import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utcDayOf } from '../utc-time.ts'
import type { Task, TaskProgress } from './task.ts'
import { choosePeriod, type DayTotals, dayTotalsOf, summarize } from './usage-statistics.ts'

const nowMs = Date.parse('2026-11-16T19:30:00.000Z')
const today = utcDayOf(nowMs)
const at = (text: string): number => Date.parse(text)

test('a period without dates is the 30 days until now, widened to whole days', () => {
  assert.deepEqual(choosePeriod({}, nowMs), { firstDay: today - 30, lastDay: today })
})

test('a period without a start begins 30 days before its end', () => {
  const endMs = at('2026-03-31T23:59:59.999Z')
  const lastDay = utcDayOf(endMs)

  assert.deepEqual(choosePeriod({ endMs }, nowMs), { firstDay: lastDay - 30, lastDay })
})

test('a period within one day is that day, whatever its hours', () => {
  const startMs = at('2026-11-16T12:00:00Z')
  const endMs = at('2026-11-16T01:00:00Z')

  assert.deepEqual(choosePeriod({ startMs, endMs }, nowMs), { firstDay: today, lastDay: today })
})

test('a period of 366 days is accepted and one of 367 is not', () => {
  const endMs = at('2026-11-16T00:00:00Z')

  assert.deepEqual(choosePeriod({ startMs: at('2025-11-16T23:59:59Z'), endMs }, nowMs), {
    firstDay: today - 365,
    lastDay: today,
  })
  assert.deepEqual(choosePeriod({ startMs: at('2025-11-15T23:59:59Z'), endMs }, nowMs), {
    fault: 'is longer than 366 days',
  })
})

test('a period that ends on a day before its first is refused', () => {
  const startMs = at('2026-11-17T00:00:00Z')

  assert.deepEqual(choosePeriod({ startMs }, nowMs), { fault: 'ends before it starts' })
})

test('every day of the period has an entry, and days outside count for the period before or not at all', () => {
  const period = { firstDay: today - 2, lastDay: today }
  const totals = [
    day(today - 6, { completedCount: 100 }),
    day(today - 5, { completedCount: 2, failedCount: 1 }),
    day(today - 3, { failedCount: 4 }),
    day(today - 2, { completedCount: 3, durationMs: 300, tokens: 2 }),
    day(today, { completedCount: 1, failedCount: 2, durationMs: 101, tokens: 1 }),
    day(today + 1, { completedCount: 100 }),
  ]

  assert.deepEqual(summarize(totals, period), {
    extractionCount: 6,
    previousExtractionCount: 7,
    successRate: 4 / 6,
    averageDurationMs: 67,
    tokens: 3,
    days: [totals[3], day(today - 1), totals[4]],
  })
})

test('a period without extractions has only zeros', () => {
  const { days, ...sums } = summarize([], { firstDay: today, lastDay: today })

  assert.deepEqual(days, [day(today)])
  assert.deepEqual(Object.values(sums), [0, 0, 0, 0, 0])
})

test('a task counts on the UTC day on which it ended, with the time from its start to its end', () => {
  const ended = {
    createdAtMs: at('2026-11-14T23:00:00Z'),
    startedAtMs: at('2026-11-15T23:59:59.500Z'),
    completedAtMs: at('2026-11-16T00:00:00.000Z'),
  }

  assert.deepEqual(dayTotalsOf(task({ ...ended, state: 'completed' })), {
    ...day(today, { completedCount: 1, durationMs: 500, tokens: 1 }),
  })
  assert.deepEqual(
    dayTotalsOf(task({ ...ended, state: 'failed' })),
    day(today, { failedCount: 1, durationMs: 500 }),
  )
})

test('a completed task that the cache answered counts without a token', () => {
  const ended = { state: 'completed', startedAtMs: nowMs, completedAtMs: nowMs }
  const request = { purpose: { kind: 'extract', extract: { cachedFrom: 'x' } } }

  assert.deepEqual(dayTotalsOf(task({ ...ended, request })), day(today, { completedCount: 1 }))
})

test('open and cancelled tasks do not count', () => {
  const endedAt = { startedAtMs: nowMs, completedAtMs: nowMs }

  assert.equal(dayTotalsOf(task({ state: 'open' })), undefined)
  assert.equal(dayTotalsOf(task({ ...endedAt, state: 'cancelled' })), undefined)
})

const day = (utcDay: number, given: Partial<DayTotals> = {}): DayTotals => ({
  utcDay,
  completedCount: 0,
  failedCount: 0,
  durationMs: 0,
  tokens: 0,
  ...given,
})

const task = (given: object) =>
  ({
    createdAtMs: nowMs,
    startedAtMs: null,
    completedAtMs: null,
    request: { purpose: { kind: 'realtime' } },
    ...given,
  }) as Task & TaskProgress
