import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { RequestTurns } from './request-turns.ts'

/** Requests that are handled until the test ends them. */
function createScene(served = { areSeveral: false }) {
  const turns = new RequestTurns(served)
  const begun = new Map<string, (() => void)[]>()
  const ask = (accountId: string) =>
    turns.handle(accountId, () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      begun.set(accountId, [...(begun.get(accountId) ?? []), resolve])
      return promise
    })
  const begunCount = (accountId: string) => begun.get(accountId)?.length ?? 0
  const end = async (accountId: string, count: number) => {
    for (const one of begun.get(accountId)?.splice(0, count) ?? []) one()
    // As many as may be are begun in some rounds.
    for (let round = 0; round < 10; round++) await nextRound()
  }
  return { turns, ask, begunCount, end }
}

test('an account that is alone begins 32 requests in a round of the event loop', async () => {
  const { ask, begunCount } = createScene()
  for (let count = 0; count < 40; count++) void ask('alone')

  assert.equal(begunCount('alone'), 32)
  await nextRound()
  assert.equal(begunCount('alone'), 40)
})

test('while several accounts are served it begins two, and another its own', async () => {
  const { turns, ask, begunCount } = createScene({ areSeveral: true })
  for (let count = 0; count < 20; count++) void ask('greedy')
  void ask('other')

  assert.deepEqual([begunCount('greedy'), begunCount('other')], [2, 1])
  await nextRound()
  assert.equal(begunCount('greedy'), 4)
  for (let count = 0; count < 2; count++) turns.handle('quick', () => 'at once')
  let isAnswered = false
  const third = turns.handle('quick', () => {
    isAnswered = true
  })
  assert.equal(isAnswered, false)
  await third
})

test('an account has 64 requests handled at once, the others in order', async () => {
  const { ask, begunCount, end } = createScene()
  const asked = Array.from({ length: 100 }, () => ask('greedy'))

  await end('greedy', 0)
  assert.equal(begunCount('greedy'), 64)
  await end('greedy', 10)
  assert.equal(begunCount('greedy'), 64)
  await end('greedy', 64)
  assert.equal(begunCount('greedy'), 26)
  await end('greedy', 26)
  await Promise.all(asked)
})

test('beside another account it has 16, and the request of the other is handled at once', async () => {
  const { ask, begunCount, end } = createScene()
  const asked = Array.from({ length: 100 }, () => ask('greedy'))
  await end('greedy', 0)

  const other = ask('other')
  assert.equal(begunCount('other'), 1)
  await end('greedy', 60)
  assert.equal(begunCount('greedy'), 16)
  await end('other', 1)
  await other
  await end('greedy', 1)
  assert.equal(begunCount('greedy'), 39)
  await end('greedy', 39)
  await Promise.all(asked)
})

test('a request that fails leaves its turn to the next', async () => {
  const { turns, ask, begunCount, end } = createScene()
  const failing = Array.from({ length: 64 }, async () =>
    turns.handle('greedy', () => nextRound().then(() => assert.fail('as asked'))),
  )
  const inTurn = assert.rejects(
    async () => turns.handle('greedy', () => assert.fail('in its turn')),
    /in its turn/,
  )
  const next = ask('greedy')
  assert.equal(begunCount('greedy'), 0)

  const ends = await Promise.allSettled(failing)
  await inTurn
  await end('greedy', 0)
  assert.ok(ends.every(({ status }) => status === 'rejected'))
  assert.equal(begunCount('greedy'), 1)
  await end('greedy', 1)
  await next
})

test('a thousand requests of an account wait at most', () => {
  const { turns, ask } = createScene()

  for (let count = 0; count < 1_032; count++) void ask('greedy')
  assert.throws(() => ask('greedy'), { code: 'RATE_LIMITED' })
  assert.equal(
    turns.handle('other', () => 'at once'),
    'at once',
  )
})
