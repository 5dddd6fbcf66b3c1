import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { StoreClock } from './store-clock.ts'

test('the store clock follows the monotonic clock between two measurements', () => {
  let monotonicMs = 50
  const clock = new StoreClock(1_000, () => monotonicMs)

  monotonicMs += 250

  assert.equal(clock.nowMs(), 1_250)
})

test('the store clock jumps forward at once when the store is found to be ahead', () => {
  let monotonicMs = 0
  const clock = new StoreClock(1_000, () => monotonicMs)

  monotonicMs += 100
  clock.correct(9_000)

  assert.equal(clock.nowMs(), 9_000)
})

test('the store clock runs at half speed until a store that is behind has caught up', () => {
  let monotonicMs = 0
  const clock = new StoreClock(10_000, () => monotonicMs)

  clock.correct(9_000)
  const times = [0, 1_000, 2_000, 3_000].map((elapsedMs) => {
    monotonicMs = elapsedMs
    return clock.nowMs()
  })

  assert.deepEqual(times, [10_000, 10_500, 11_000, 12_000])
})

test('what the store clock leaps over has not passed for anybody', () => {
  let monotonicMs = 0
  const clock = new StoreClock(1_000, () => monotonicMs)
  const before = 500

  monotonicMs += 2_000
  clock.correct(90_003_000)
  monotonicMs += 300
  const after = clock.nowMs()
  monotonicMs += 200

  assert.equal(clock.nowMs(), 90_003_500)
  assert.equal(clock.elapsedMs(before), 3_000)
  // Another process whose clock had leapt earlier wrote it in the meantime.
  assert.equal(clock.elapsedMs(80_000_000), 500)
  assert.equal(clock.elapsedMs(after), 200)
})

test('drift that is corrected counts as time that has passed', () => {
  let monotonicMs = 0
  const clock = new StoreClock(1_000, () => monotonicMs)

  monotonicMs += 60_000
  clock.correct(61_900)

  assert.equal(clock.elapsedMs(1_000), 60_900)
})

test('the store clock never goes back, whatever times are measured', () => {
  const steps = fc.array(fc.record({ elapsedMs: fc.nat(5_000), storeMs: fc.nat(100_000) }))
  fc.assert(
    fc.property(steps, (measurements) => {
      let monotonicMs = 0
      const clock = new StoreClock(50_000, () => monotonicMs)
      let lastMs = clock.nowMs()
      for (const { elapsedMs, storeMs } of measurements) {
        monotonicMs += elapsedMs
        assert(clock.nowMs() >= lastMs)
        clock.correct(storeMs)
        assert(clock.nowMs() >= lastMs)
        lastMs = clock.nowMs()
      }
    }),
  )
})
