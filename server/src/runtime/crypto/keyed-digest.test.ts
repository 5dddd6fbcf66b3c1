import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyedDigest } from './keyed-digest.ts'

const one = Buffer.alloc(32, 1)
const two = Buffer.alloc(32, 2)

test('a digest depends on the text and on the key', () => {
  const digest = createKeyedDigest({ newest: one })

  assert.equal(digest('a'), createKeyedDigest({ newest: one })('a'))
  assert.notEqual(digest('a'), digest('b'))
  assert.notEqual(digest('a'), createKeyedDigest({ newest: two })('a'))
})

test('during a key rotation the digest is that of the key in use', () => {
  const keys = { newest: two, previous: one, isPreviousInUse: true }
  const digest = createKeyedDigest(keys)

  assert.equal(digest('a'), createKeyedDigest({ newest: one })('a'))
  keys.isPreviousInUse = false
  assert.equal(digest('a'), createKeyedDigest({ newest: two })('a'))
})
