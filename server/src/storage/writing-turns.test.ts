import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WritingTurns } from './writing-turns.ts'

const waitingMax = 1_000

test('after a write, the next of the account waits for as long as that took', async (t) => {
  const turns = new WritingTurns()
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let isNextWritten = false
  const writeFor = async (ms: number) => {
    nowMs += ms
    return 'written'
  }

  assert.equal(await turns.take('greedy', () => writeFor(200)), 'written')
  const next = turns.take('greedy', async () => {
    isNextWritten = true
  })
  const others = turns.take('other', () => writeFor(0))
  t.mock.timers.tick(199)
  await others

  assert.equal(isNextWritten, false)
  t.mock.timers.tick(1)
  await next
})

test('a thousand writes of an account wait, one more is refused, another account writes', async () => {
  const turns = new WritingTurns()
  const { promise: first, resolve: endFirst } = Promise.withResolvers<void>()
  let writtenCount = 0
  const write = async () => {
    writtenCount += 1
  }

  const writes = [turns.take('greedy', () => first)]
  for (let waiting = 0; waiting < waitingMax; waiting++) writes.push(turns.take('greedy', write))
  await assert.rejects(turns.take('greedy', write), {
    code: 'RATE_LIMITED',
    retryAfterSeconds: 1,
  })
  await turns.take('other', write)

  assert.equal(writtenCount, 1)
  endFirst()
  await Promise.all(writes)
  assert.equal(writtenCount, 1 + waitingMax)
})
