import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowKeys } from './row-keys.ts'

test('a row has the key of its task, wherever that stands, and no key occurs twice', () => {
  const keys = rowKeys([
    { index: 4, id: 'a' },
    { index: 5, id: undefined },
    { index: 6, id: 'b' },
    { index: 7, id: 'a' },
  ])

  assert.deepEqual(keys, ['a', 'row 5', 'b', 'row 7'])
})
