import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Activity,
  addActivity,
  blockedCountOf,
  durationAtShare,
  durationBucketMsMax,
  durationBucketOf,
  noActivity,
} from './activity.ts'

const durationMs = fc.integer({ min: 0, max: 900_000 })

function activityWith(durations: number[]): Activity {
  const sum = noActivity()
  for (const ms of durations) {
    addActivity(sum, { ...noActivity(), completed: 1, durations: { [durationBucketOf(ms)]: 1 } })
  }
  return sum
}

test('a duration is in the first bucket that is not below it, at most half as large again', () => {
  fc.assert(
    fc.property(durationMs, (ms) => {
      const bucket = durationBucketOf(ms)
      assert.ok(ms <= durationBucketMsMax(bucket) + 1)
      assert.ok(bucket === 0 || ms >= durationBucketMsMax(bucket - 1) - 1)
    }),
  )
})

test('a percentile of a histogram is within a bucket of the percentile of the durations', () => {
  fc.assert(
    fc.property(fc.array(durationMs, { minLength: 1, maxLength: 50 }), (durations) => {
      const sorted = durations.toSorted((one, other) => one - other)
      const exact = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0

      const shown = durationAtShare(activityWith(durations).durations, 0.95)

      assert.equal(shown, durationBucketMsMax(durationBucketOf(exact)))
    }),
  )
})

test('no tasks have no percentile', () => {
  assert.equal(durationAtShare({}, 0.5), null)
})

test('adding activities in any order and grouping gives the same sum', () => {
  const queue = fc.record({ waiting: fc.nat(9), oldestAgeMs: fc.nat(9) })
  const activity = fc.record({
    completed: fc.nat(9),
    failed: fc.nat(9),
    retries: fc.nat(9),
    engines: fc.record({ http: fc.nat(9), browser: fc.nat(9) }),
    codes: fc.constantFrom({}, { TARGET_TIMEOUT: 2 }, { BAD_RESPONSE: 1, TARGET_TIMEOUT: 1 }),
    statuses: fc.constantFrom({}, { 200: 3 }, { 403: 1, 429: 1 }),
    durations: fc.constantFrom({}, { 4: 1 }, { 4: 2, 20: 1 }),
  })
  const sampled = fc.tuple(activity, queue).map(([one, peak]) => ({ ...one, queue: peak }))
  const either: fc.Arbitrary<Activity> = fc.oneof(activity, sampled)
  const sumOf = (list: Activity[]) => {
    const sum = noActivity()
    for (const one of list) addActivity(sum, one)
    return sum
  }
  fc.assert(
    fc.property(fc.array(either), fc.array(either), (one, other) => {
      const grouped = sumOf([sumOf(other), sumOf(one)])
      assert.deepEqual(grouped, sumOf([...one, ...other]))
    }),
  )
})

test('of two samples of one queue the higher numbers count', () => {
  const sum = noActivity()

  addActivity(sum, { ...noActivity(), queue: { waiting: 3, oldestAgeMs: 900 } })
  addActivity(sum, { ...noActivity(), queue: { waiting: 5, oldestAgeMs: 200 } })
  addActivity(sum, noActivity())

  assert.deepEqual(sum.queue, { waiting: 5, oldestAgeMs: 900 })
})

test('refusals of a target are counted as blocked', () => {
  assert.equal(blockedCountOf({ statuses: { 200: 5, 403: 2, 404: 1, 429: 1 } }), 3)
})
