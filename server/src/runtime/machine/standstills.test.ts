import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { Standstills } from './standstills.ts'

test('a standstill counts for what began before its end, and not for what began later', (t) => {
  const { standstills, clock } = startStandstills(t)
  const beganAtMs = clock.nowMs
  clock.nowMs += 5_000

  assert.equal(standstills.hasStoodStill(beganAtMs, 60_000), true)
  assert.equal(standstills.hasStoodStill(clock.nowMs + 1, 60_000), false)
})

test('half of a short time limit is a standstill, but never less than a second', (t) => {
  const { standstills, clock } = startStandstills(t)
  const beganAtMs = clock.nowMs
  clock.nowMs += 1_500

  assert.equal(standstills.hasStoodStill(beganAtMs, 60_000), false)
  assert.equal(standstills.hasStoodStill(beganAtMs, 2_500), true)
  assert.equal(standstills.hasStoodStill(beganAtMs, 1), true)
})

test('a standstill that a clock set back has put into the future counts for nothing', (t) => {
  const { standstills, clock } = startStandstills(t)
  clock.nowMs += 86_400_000
  standstills.hasStoodStill(0, 60_000)
  clock.nowMs -= 86_400_000

  assert.equal(standstills.hasStoodStill(clock.nowMs, 60_000), false)
})

/** With a clock that the test moves. */
function startStandstills(t: TestContext) {
  const clock = { nowMs: 1_000_000 }
  t.mock.method(performance, 'now', () => clock.nowMs)
  const standstills = new Standstills({ log: pino({ level: 'silent' }) })
  t.after(() => standstills[Symbol.dispose]())
  return { standstills, clock }
}
