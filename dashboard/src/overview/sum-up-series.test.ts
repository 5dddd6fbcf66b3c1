import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  oldestText,
  otherCodes,
  type SeriesPoint,
  shareOfCodes,
  sumUpSeries,
} from './sum-up-series.ts'

const point = (given: Partial<SeriesPoint>): SeriesPoint => ({
  time: '2026-03-01T12:00:00.000Z',
  completed: 0,
  failed: 0,
  retries: 0,
  engines: { http: 0, browser: 0 },
  codes: {},
  statuses: {},
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
  durations: [],
  queue_depth: 0,
  queue_oldest_age_seconds: 0,
  ...given,
})

test('steps are added up, with the codes of failures in the order of their number', () => {
  const points = [
    point({ completed: 3, failed: 1, codes: { TARGET_TIMEOUT: 1 } }),
    point({ completed: 5, failed: 3, codes: { TARGET_TIMEOUT: 1, PROXY_FAILED: 2 } }),
    point({ completed: 1 }),
  ]

  const sums = sumUpSeries({ step_seconds: 60, points })

  assert.equal(sums.completed, 9)
  assert.equal(sums.failed, 4)
  assert.equal(sums.perMinute, 8, 'of the last minute that is over')
  assert.deepEqual(sums.codes, [
    ['TARGET_TIMEOUT', 2],
    ['PROXY_FAILED', 2],
  ])
})

test('durations of a period come from its merged histograms, not from averages of steps', () => {
  const points = [
    point({ durations: [{ ms_max: 100, count: 90 }] }),
    point({ durations: [{ ms_max: 5_000, count: 10 }] }),
  ]

  const { p50Ms, p95Ms } = sumUpSeries({ step_seconds: 60, points })

  assert.equal(p50Ms, 100)
  assert.equal(p95Ms, 5_000)
})

test('a period without tasks has no durations', () => {
  const { p50Ms, perMinute } = sumUpSeries({ step_seconds: 60, points: [point({})] })

  assert.equal(p50Ms, null)
  assert.equal(perMinute, 0)
})

const points = [
  { codes: { TARGET_TIMEOUT: 3, PROXY_FAILED: 1 } },
  { codes: {} },
  { codes: { PROXY_FAILED: 1, INTERNAL_ERROR: 1, BROWSER_CRASHED: 2 } },
]
const codes = ['TARGET_TIMEOUT', 'PROXY_FAILED', 'BROWSER_CRASHED', 'INTERNAL_ERROR']

test('the shares of a step add up to the whole, and a step without failures has none', () => {
  const shares = shareOfCodes(points, codes, 6)

  assert.deepEqual(
    shares.map(({ code }) => code),
    codes,
  )
  assert.deepEqual(
    shares.map(({ percents }) => percents),
    [
      [75, null, 0],
      [25, null, 25],
      [0, null, 50],
      [0, null, 25],
    ],
  )
})

test('codes beyond the number of lines are one line', () => {
  const shares = shareOfCodes(points, codes, 3)

  assert.deepEqual(
    shares.map(({ code }) => code),
    ['TARGET_TIMEOUT', 'PROXY_FAILED', otherCodes],
  )
  assert.deepEqual(shares[2]?.percents, [0, null, 75])
})

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
