import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterOutcome,
  isCoolingDown,
  type ProxyHealth,
  type ProxyOutcome,
  scoreAt,
  unknownHealth,
} from './proxy-health.ts'

const startMs = 1_000_000
const carried = (latencyMs: number): ProxyOutcome => ({ kind: 'carried', latencyMs })
const refused: ProxyOutcome = { kind: 'refused' }

/** Applies one outcome after the other, all at one moment. */
const after = (outcomes: ProxyOutcome[], begun: ProxyHealth = unknownHealth, nowMs = startMs) =>
  outcomes.reduce(
    (health, outcome) => afterOutcome(health, outcome, { begunAtMs: nowMs, nowMs }),
    begun,
  )

test('a fast proxy has a better score than a slow or failing one', () => {
  const [fast, slow, broken] = [[carried(200)], [carried(8_000)], [carried(200), refused]].map(
    (outcomes) => scoreAt(after(outcomes), startMs),
  ) as [number, number, number]

  assert.ok(fast > 0.9 && fast <= 1)
  assert.ok(slow < 0.5)
  assert.ok(broken < fast)
})

test('refusals lower the score step by step, and successful uses raise it again', () => {
  const once = after([refused])
  const often = after(Array.from({ length: 30 }, () => refused))
  const again = after(
    Array.from({ length: 30 }, () => carried(0)),
    often,
  )

  assert.equal(once.successShare, 0.9)
  assert.ok(often.successShare < 0.05)
  assert.ok(again.successShare > 0.95)
})

test('the cool-down of a proxy doubles with each refusal in a row, up to ten minutes', () => {
  const pauses: number[] = []
  let [health, nowMs] = [unknownHealth, startMs]
  for (let refusal = 0; refusal < 9; refusal++) {
    health = after([refused], health, nowMs)
    pauses.push((health.coolsDownUntilMs - nowMs) / 1_000)
    nowMs = health.coolsDownUntilMs
  }

  assert.deepEqual(pauses, [5, 10, 20, 40, 80, 160, 320, 600, 600])
})

test('a failure that may be the target’s fault lowers the score but starts no cool-down', () => {
  const failed: ProxyOutcome = { kind: 'failed' }
  const often = after(Array.from({ length: 30 }, () => failed))

  assert.ok(often.successShare < 0.05)
  assert.equal(isCoolingDown(often, startMs), false)
  assert.equal(after([refused, failed]).coolsDownUntilMs, after([refused]).coolsDownUntilMs)
})

test('refusals during a cool-down do not extend it', () => {
  const once = after([refused])
  const many = after([refused, refused, refused])

  assert.equal(many.coolsDownUntilMs, once.coolsDownUntilMs)
  assert.equal(many.refusalsInARow, 1)
  assert.ok(many.successShare < once.successShare)
})

test('a successful use ends the cool-down, and the next one is short again', () => {
  const first = after([refused])
  const second = after([refused], first, first.coolsDownUntilMs)
  const well = after([carried(100)], second, first.coolsDownUntilMs + 1)
  const third = after([refused], well, first.coolsDownUntilMs + 2)

  assert.equal(isCoolingDown(second, first.coolsDownUntilMs + 1), true)
  assert.equal(isCoolingDown(well, first.coolsDownUntilMs + 1), false)
  assert.equal(third.coolsDownUntilMs - first.coolsDownUntilMs, 5_002)
})

test('a success that began before the refusal does not end the cool-down', () => {
  const first = after([refused])
  const second = after([refused], first, first.coolsDownUntilMs)
  const refusedAtMs = first.coolsDownUntilMs
  const late = (nowMs: number) =>
    afterOutcome(second, carried(100), { begunAtMs: refusedAtMs - 1, nowMs })

  const during = late(refusedAtMs + 1)
  const afterwards = late(second.coolsDownUntilMs)

  assert.equal(during.coolsDownUntilMs, second.coolsDownUntilMs)
  assert.ok(during.successShare > second.successShare)
  assert.equal(during.latencyMs, 100)
  // The next refusal is the third in a row, not the first.
  const third = after([refused], afterwards, second.coolsDownUntilMs)
  assert.equal(third.coolsDownUntilMs - second.coolsDownUntilMs, 20_000)
})

test('a late refusal of an attempt that began during the cool-down does not start another', () => {
  const first = after([refused])
  const endMs = first.coolsDownUntilMs

  const late = afterOutcome(first, refused, { begunAtMs: endMs - 1, nowMs: endMs + 9_000 })

  assert.equal(late.refusalsInARow, 1)
  assert.equal(late.coolsDownUntilMs, endMs)
})

test('a refusal starts no cool-down if the proxy succeeded since the attempt began', () => {
  const well = after([carried(100)])

  const doubted = afterOutcome(well, refused, { begunAtMs: startMs - 1, nowMs: startMs + 1 })
  const down = afterOutcome(well, refused, { begunAtMs: startMs, nowMs: startMs + 1 })

  assert.equal(isCoolingDown(doubted, startMs + 1), false)
  assert.ok(doubted.successShare < well.successShare)
  assert.equal(isCoolingDown(down, startMs + 1), true)
})

test('an unknown outcome does not change the health', () => {
  const usual = after([carried(1_000), refused])

  assert.equal(after([{ kind: 'unknown' }], usual, startMs + 1), usual)
})

test('the score of a proxy recovers fully in ten minutes without use', () => {
  const bad = after(Array.from({ length: 50 }, () => refused))
  const well = after([carried(0)], bad, startMs + 600_000)

  assert.ok(scoreAt(bad, startMs) < 0.01)
  assert.ok(Math.abs(scoreAt(bad, startMs + 300_000) - 0.5) < 0.01)
  assert.equal(scoreAt(bad, startMs + 600_000), 1)
  assert.equal(scoreAt(bad, startMs + 9_000_000), 1)
  assert.equal(well.score, 1)
})

test('a clock that is set back does not change the score', () => {
  const usual = after([carried(1_000)])

  assert.equal(scoreAt(usual, startMs - 9_000_000), usual.score)
})
