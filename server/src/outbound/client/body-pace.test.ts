import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { BodyPace } from './body-pace.ts'

function watch(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const seen = { length: 2 ** 20, dribbles: 0 }
  const pace = new BodyPace(
    () => seen.length,
    () => {
      seen.dribbles += 1
    },
  )
  t.after(() => pace[Symbol.dispose]())
  const pass = (seconds: number, bytesPerSecond: number) => {
    for (let second = 0; second < seconds; second += 1) {
      seen.length += bytesPerSecond
      t.mock.timers.tick(1_000)
    }
  }
  return { pace, seen, pass }
}

test('a body that brings less than 1 KiB/s over 15 s dribbles', (t) => {
  const { pace, seen, pass } = watch(t)
  pace.start()

  pass(14, 1_000)
  const before = seen.dribbles
  pass(1, 1_000)

  assert.deepEqual([before, seen.dribbles], [0, 1])
})

test('a body that brings 1 KiB/s, or as much at once in 15 s, does not dribble', (t) => {
  const { pace, seen, pass } = watch(t)
  pace.start()

  pass(20, 1_024)
  pass(1, 15_360)
  pass(14, 0)

  assert.equal(seen.dribbles, 0)
})

test('the time before a new start does not count', (t) => {
  const { pace, pass, seen } = watch(t)
  pace.start()
  pass(14, 0)

  pace.start()
  pass(14, 0)

  assert.equal(seen.dribbles, 0)
})
