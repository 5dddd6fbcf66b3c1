import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConcurrencyLimits } from './concurrency-limits.ts'

const never = new AbortController().signal
const ofKey = { concurrencyKey: 'key', accountId: 'account' }

function createLimits(
  max: number,
  prefetch?: { perKeyMax: number; totalMax: number },
  accountMax = max,
) {
  const limit = { max, accountMax, isGlobal: true }
  const limits = new ConcurrencyLimits(() => limit, prefetch)
  const claimWhilePossible = (concurrencyKey: string, accountId = 'account') => {
    const user = { concurrencyKey, accountId }
    let count = 0
    for (; count < 100 && limits.canClaim(user); count++) limits.claim(user)
    return count
  }
  return { limit, limits, claimWhilePossible }
}

test('without prefetching as many entries of a key are claimed as may run', () => {
  const { claimWhilePossible } = createLimits(3)

  assert.equal(claimWhilePossible('key'), 3)
})

test('prefetched entries wait for a slot of their key and get it in order', async () => {
  const { limits, claimWhilePossible } = createLimits(1, { perKeyMax: 2, totalMax: 10 })
  const claimed = claimWhilePossible('key')
  const started: number[] = []
  const starts = [1, 2, 3].map(async (entry) => {
    if (await limits.acquire(ofKey, never)) started.push(entry)
  })
  await starts[0]
  const waiting = limits.waitingCount

  limits.release(ofKey)
  await starts[1]
  const afterOne = [...started]
  limits.release(ofKey)
  await starts[2]

  assert.deepEqual([claimed, waiting, limits.waitingCount], [3, 2, 0])
  assert.deepEqual(
    [afterOne, started],
    [
      [1, 2],
      [1, 2, 3],
    ],
  )
})

test('no key is prefetched once the total over all keys is reached', async () => {
  const { limits, claimWhilePossible } = createLimits(1, { perKeyMax: 4, totalMax: 4 })
  const ofFirst = claimWhilePossible('first')
  const first = { ...ofKey, concurrencyKey: 'first' }
  const given = new AbortController()
  const starts = Array.from({ length: ofFirst }, () => limits.acquire(first, given.signal))

  const ofSecond = claimWhilePossible('second')
  given.abort()

  assert.deepEqual([ofFirst, ofSecond], [5, 1])
  assert.deepEqual(await Promise.all(starts), [true, false, false, false, false])
  assert.equal(limits.waitingCount, 0)
})

test('claiming more of a key is worthwhile again once half of its prefetched entries have started', () => {
  const { limits, claimWhilePossible } = createLimits(10, { perKeyMax: 4, totalMax: 10 })
  claimWhilePossible('key')
  const seen: boolean[] = []

  for (let ended = 1; ended <= 3; ended++) {
    limits.unclaim(ofKey)
    seen.push(limits.isWorthClaiming(ofKey))
  }

  assert.deepEqual(seen, [false, false, true])
})

test('after a limit is raised as many waiting entries start as it allows', async () => {
  const { limit, limits, claimWhilePossible } = createLimits(1, { perKeyMax: 4, totalMax: 10 })
  claimWhilePossible('key')
  const starts = Array.from({ length: 4 }, () => limits.acquire(ofKey, never))
  await starts[0]

  limit.max = 3
  limit.accountMax = 3
  limits.release(ofKey)

  assert.deepEqual(await Promise.all(starts), [true, true, true, true])
})

test('an account claims no more of a key than its own limit, and all accounts no more than the key has', () => {
  const { claimWhilePossible } = createLimits(5, undefined, 2)

  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((accountId) => claimWhilePossible('key', accountId)),
    [2, 2, 1, 0],
  )
})

test('prefetched entries of an account take no slot of the key from another', () => {
  const { limits, claimWhilePossible } = createLimits(4, { perKeyMax: 8, totalMax: 20 }, 2)

  const claimed = claimWhilePossible('key', 'a')

  assert.equal(claimed, 10)
  assert.equal(limits.hasFree({ concurrencyKey: 'key', accountId: 'b' }), true)
})

test('accounts whose entries wait for slots of one key take turns', async () => {
  const { limits } = createLimits(1, { perKeyMax: 4, totalMax: 20 })
  const started: string[] = []
  const users = ['a', 'a', 'a', 'b', 'b'].map((accountId) => ({ ...ofKey, accountId }))
  for (const user of users) limits.claim(user)
  const starts = users.map(async (user) => {
    await limits.acquire(user, never)
    started.push(user.accountId)
  })

  for (let index = 0; index < starts.length; index++) {
    while (started.length === index) await Promise.resolve()
    limits.release({ ...ofKey, accountId: started[index] ?? '' })
  }
  await Promise.all(starts)

  assert.deepEqual(started, ['a', 'b', 'a', 'b', 'a'])
})
