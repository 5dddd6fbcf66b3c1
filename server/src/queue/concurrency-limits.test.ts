import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConcurrencyLimits } from './concurrency-limits.ts'

const never = new AbortController().signal

function createLimits(max: number, prefetch?: { perKeyMax: number; totalMax: number }) {
  const limit = { max, isGlobal: true }
  const limits = new ConcurrencyLimits(() => limit, prefetch)
  const claimWhilePossible = (key: string) => {
    let count = 0
    for (; count < 100 && limits.canClaim(key); count++) limits.claim(key)
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
    if (await limits.acquire('key', never)) started.push(entry)
  })
  await starts[0]
  const waiting = limits.waitingCount

  limits.release('key')
  await starts[1]
  const afterOne = [...started]
  limits.release('key')
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
  const given = new AbortController()
  const starts = Array.from({ length: ofFirst }, () => limits.acquire('first', given.signal))

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
    limits.unclaim('key')
    seen.push(limits.isWorthClaiming('key'))
  }

  assert.deepEqual(seen, [false, false, true])
})

test('after a limit is raised as many waiting entries start as it allows', async () => {
  const { limit, limits, claimWhilePossible } = createLimits(1, { perKeyMax: 4, totalMax: 10 })
  claimWhilePossible('key')
  const starts = Array.from({ length: 4 }, () => limits.acquire('key', never))
  await starts[0]

  limit.max = 3
  limits.release('key')

  assert.deepEqual(await Promise.all(starts), [true, true, true, true])
})
