import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HashingTurns } from './hashing-turns.ts'

const right = async () => true

test('one address can keep eight waiting, and no other out', async () => {
  const turns = new HashingTurns()
  const running = Promise.withResolvers<boolean>()
  const first = turns.check('flood', () => running.promise)
  const waiting = Array.from({ length: 8 }, () => turns.check('flood', right))

  await assert.rejects(turns.check('flood', right), { code: 'RATE_LIMITED' })
  const other = turns.check('other', right)
  running.resolve(true)

  assert.deepEqual(await Promise.all([first, ...waiting, other]), Array(10).fill(true))
})

test('after a wrong password the next turn comes later, the answer does not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const turns = new HashingTurns()
  const takes40Ms = async (verdict: boolean) => {
    nowMs += 40
    return verdict
  }

  assert.equal(await turns.check('a', () => takes40Ms(false)), false)
  let isNext = false
  const next = turns
    .check('a', () => takes40Ms(true))
    .then(() => {
      isNext = true
    })
  t.mock.timers.tick(119)
  await Promise.resolve()
  assert.equal(isNext, false)
  t.mock.timers.tick(1)
  await next
  assert.equal(isNext, true)
})

test('a check that breaks gives its turn to the next', async () => {
  const turns = new HashingTurns()

  await assert.rejects(
    turns.check('a', () => Promise.reject(new Error('broken'))),
    /broken/,
  )
  assert.equal(await turns.check('a', right), true)
})
