import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RowChanges, rowKeys } from './row-changes.ts'

const taskOf = (id: string, second: number, status: 'queued' | 'completed' = 'queued') => ({
  id,
  status,
  attempts: 0,
  created_at: `2026-03-01T12:00:0${second}.000Z`,
})

test('what a list shows first is no news', () => {
  assert.deepEqual(new RowChanges().see([taskOf('a', 1)]), [])
})

test('a new task and one with another status are news, once', () => {
  const changes = new RowChanges()
  changes.see([taskOf('a', 1)])

  const tasks = [taskOf('b', 2), taskOf('a', 1, 'completed')]
  assert.deepEqual(changes.see(tasks), ['b', 'a'])
  assert.deepEqual(changes.see(tasks), [])
})

test('older tasks that are scrolled to are no news', () => {
  const changes = new RowChanges()
  changes.see([taskOf('c', 3)])

  assert.deepEqual(changes.see([taskOf('c', 3), taskOf('b', 2), taskOf('a', 1)]), [])
})

test('what left the list long ago is forgotten, and no news when it comes back', () => {
  const changes = new RowChanges()
  const many = Array.from({ length: 6_000 }, (_, index) => taskOf(`old ${index}`, 1))
  changes.see(many)

  assert.deepEqual(changes.see([taskOf('new', 2)]), ['new'])
  assert.deepEqual(changes.see([taskOf('new', 2, 'completed'), ...many.slice(0, 10)]), ['new'])
})

test('a row has the key of its task, wherever that stands, and no key occurs twice', () => {
  const keys = rowKeys([
    { index: 4, id: 'a' },
    { index: 5, id: undefined },
    { index: 6, id: 'b' },
    { index: 7, id: 'a' },
  ])

  assert.deepEqual(keys, ['a', 'row 5', 'b', 'row 7'])
})
