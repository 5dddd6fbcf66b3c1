import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recent } from './recent.ts'

test('what was set is there until its time is over', (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const recent = new Recent<number>({ keptMs: 100, entriesMax: 10 })
  recent.set('a', 1)

  nowMs = 99
  assert.equal(recent.get('a'), 1)
  nowMs = 100
  assert.equal(recent.get('a'), undefined)
})

test('the oldest key makes room for the newest', () => {
  const recent = new Recent<number>({ keptMs: 1000, entriesMax: 2 })
  recent.set('a', 1)
  recent.set('b', 2)
  recent.set('a', 3)
  recent.set('c', 4)

  assert.deepEqual([recent.get('a'), recent.get('b'), recent.get('c')], [3, undefined, 4])
})

test('what was deleted is gone', () => {
  const recent = new Recent<number>({ keptMs: 1000, entriesMax: 2 })
  recent.set('a', 1)
  recent.delete('a')

  assert.equal(recent.get('a'), undefined)
})
