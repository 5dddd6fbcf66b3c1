import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyReader } from './read-keys.ts'

const plain = { ctrlKey: false, metaKey: false, altKey: false, isTyped: false }
const readerOf = () => new KeyReader([{ key: 't', path: '/app/tasks' }])

test('g and the key of a page, one soon after the other, lead to the page', () => {
  const reader = readerOf()

  assert.equal(reader.read({ ...plain, key: 'g' }, 0), undefined)
  assert.deepEqual(reader.read({ ...plain, key: 't' }, 1_000), { kind: 'page', path: '/app/tasks' })
  assert.equal(reader.read({ ...plain, key: 't' }, 1_001), undefined)
})

test('the key of a page means nothing without g, or long after it', () => {
  const reader = readerOf()
  reader.read({ ...plain, key: 'g' }, 0)

  assert.equal(reader.read({ ...plain, key: 't' }, 10_000), undefined)
})

test('keys that are typed into a field, or with a modifier, mean nothing', () => {
  const reader = readerOf()

  assert.equal(reader.read({ ...plain, key: '?', isTyped: true }, 0), undefined)
  assert.equal(reader.read({ ...plain, key: '?', ctrlKey: true }, 0), undefined)
  assert.deepEqual(reader.read({ ...plain, key: '?' }, 0), { kind: 'help' })
})

test('the key of a button presses it, unless g came before', () => {
  const reader = readerOf()

  assert.deepEqual(reader.read({ ...plain, key: 'r' }, 0), { kind: 'press', key: 'r' })
  reader.read({ ...plain, key: 'g' }, 1)
  assert.equal(reader.read({ ...plain, key: 'r' }, 2), undefined)
})
