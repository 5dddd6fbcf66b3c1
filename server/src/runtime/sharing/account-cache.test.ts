import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccountCache } from './account-cache.ts'

/** Caches texts of ten letters; an entry counts as many bytes as its text has letters. */
function cacheOf(letters: number) {
  const cache = new AccountCache<string>({ bytesMax: letters, entryBytesMax: letters / 2 })
  return {
    cache,
    add(accountId: string, ...keys: string[]) {
      for (const key of keys) cache.set(accountId, key, { value: key.repeat(10), bytes: 10 })
    },
    heldBy: (accountId: string, ...keys: string[]) =>
      keys.filter((key) => cache.get(accountId, key) !== undefined),
  }
}

test('a full cache loses what was used the longest ago', () => {
  const { cache, add, heldBy } = cacheOf(30)
  add('ada', 'a', 'b', 'c')
  assert.equal(cache.get('ada', 'a'), 'aaaaaaaaaa')

  add('ada', 'd')

  assert.equal(cache.bytes, 30)
  assert.deepEqual(heldBy('ada', 'a', 'b', 'c', 'd'), ['a', 'c', 'd'])
})

test('the account that holds the most loses first, whoever adds to a full cache', () => {
  const { cache, add, heldBy } = cacheOf(60)
  add('bob', 'x')
  add('ada', 'a', 'b', 'c', 'd', 'e')

  add('bob', 'y')
  add('eve', 'z')

  assert.equal(cache.bytes, 60)
  assert.deepEqual(heldBy('ada', 'a', 'b', 'c', 'd', 'e'), ['c', 'd', 'e'])
  assert.deepEqual([heldBy('bob', 'x', 'y'), heldBy('eve', 'z')], [['x', 'y'], ['z']])
})

test('an account that adds any number of entries pushes out its own only', () => {
  const { cache, add, heldBy } = cacheOf(60)
  add('bob', 'x', 'y')

  for (let number = 0; number < 1_000; number++) {
    add('ada', String(number))
    assert.ok(cache.bytes <= 60)
  }

  assert.deepEqual(heldBy('bob', 'x', 'y'), ['x', 'y'])
  assert.deepEqual(heldBy('ada', '995', '996', '997', '998', '999'), ['996', '997', '998', '999'])
})

test('accounts do not find what is cached for others, under whatever key', () => {
  const { cache, add } = cacheOf(60)
  add('ada', 'a')

  assert.equal(cache.get('bob', 'a'), undefined)
})

test('an entry that takes more than its share is not cached, and replaces the one before it', () => {
  const { cache, add, heldBy } = cacheOf(60)
  add('ada', 'a', 'b')

  cache.set('ada', 'a', { value: 'large', bytes: 31 })

  assert.deepEqual(heldBy('ada', 'a', 'b'), ['b'])
  assert.equal(cache.bytes, 10)
})

test('an entry that is set again counts once', () => {
  const { cache, add, heldBy } = cacheOf(60)

  add('ada', 'a', 'a', 'a')

  assert.equal(cache.bytes, 10)
  assert.deepEqual(heldBy('ada', 'a'), ['a'])
})

test('what nobody used between two sweeps is dropped', () => {
  const { cache, add, heldBy } = cacheOf(60)
  add('ada', 'a', 'b')
  add('bob', 'x')

  cache.dropUnused()
  cache.get('ada', 'b')
  cache.dropUnused()

  assert.deepEqual([heldBy('ada', 'a', 'b'), heldBy('bob', 'x')], [['b'], []])
  assert.equal(cache.bytes, 10)
})

test('a cleared cache holds nothing', () => {
  const { cache, add, heldBy } = cacheOf(60)
  add('ada', 'a')

  cache.clear()

  assert.deepEqual([heldBy('ada', 'a'), cache.bytes], [[], 0])
})
