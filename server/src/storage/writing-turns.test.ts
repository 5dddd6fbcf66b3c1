import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WritingTurns } from './writing-turns.ts'

const waitingMax = 1_000

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
