import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../domain/failure.ts'
import { storeUnavailable } from './outages/store-unavailable.ts'
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

test('after a write that failed there is no rest, and in an outage those that wait fail with it', async (t) => {
  const turns = new WritingTurns()
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const outage = storeUnavailable('The store is away.')
  const failing = async (error: Error) => {
    nowMs += 60_000
    throw error
  }
  let writtenCount = 0
  const write = async () => {
    writtenCount += 1
  }

  await assert.rejects(
    turns.take('one', () => failing(new Error('a conflict'))),
    /a conflict/,
  )
  await turns.take('one', write)
  const first = turns.take('one', () => failing(outage))
  const others = ['one', 'one', 'two', 'three'].map((account) => turns.take(account, write))
  await assert.rejects(first, outage)
  const ends = await Promise.allSettled(others)
  await turns.take('one', write)

  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
  )
  assert.equal(writtenCount, 4)
})

test('at a stop those that wait are refused, and what has begun is written', async () => {
  const turns = new WritingTurns()
  const { promise: begun, resolve: end } = Promise.withResolvers<string>()
  const writing = turns.take('one', () => begun)
  const waiting = turns.take('one', () => Promise.resolve('late'))

  turns.refuseWaiting(new Failure('SHUTTING_DOWN', 'Try again.'))
  end('written')

  await assert.rejects(waiting, { code: 'SHUTTING_DOWN' })
  assert.equal(await writing, 'written')
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
