import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TtlCache } from './ttl-cache.ts'

test('a cached value expires after its time to live', (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const cache = new TtlCache<number>({ ttlMs: 100, entriesMax: 10 })
  cache.set('a', 1)

  nowMs = 99
  assert.equal(cache.get('a'), 1)
  nowMs = 100
  assert.equal(cache.get('a'), undefined)
})

test('a full cache evicts its oldest key', () => {
  const cache = new TtlCache<number>({ ttlMs: 1000, entriesMax: 2 })
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('a', 3)
  cache.set('c', 4)

  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [3, undefined, 4])
})

test('a deleted key is no longer cached', () => {
  const cache = new TtlCache<number>({ ttlMs: 1000, entriesMax: 2 })
  cache.set('a', 1)
  cache.delete('a')

  assert.equal(cache.get('a'), undefined)
})

test('a cache without a time to live reports what it evicts and keeps the rest', () => {
  const evicted: number[] = []
  const cache = new TtlCache<number>({ entriesMax: 2, onEvicted: (value) => evicted.push(value) })
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('a', 1)
  cache.set('c', 3)

  assert.deepEqual([evicted, [...cache.values()]], [[2], [1, 3]])
})
