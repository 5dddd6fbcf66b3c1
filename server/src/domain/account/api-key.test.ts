import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { formatApiKey, labelOf } from './api-key.ts'

const randoms = fc.uint8Array({ minLength: 32, maxLength: 32 })

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const numberIn = (text: string): number =>
  [...text].reduce((value, digit) => value * 62 + digits.indexOf(digit), 0)

test('a generated API key has the prefix, a fixed length and a valid checksum', () => {
  fc.assert(
    fc.property(randoms, (random) => {
      const key = formatApiKey(random)
      assert.match(key, /^trawl_[0-9A-Za-z]{49}$/)
      assert.equal(numberIn(key.slice(-6)), crc32(key.slice(0, -6)))
    }),
  )
})

test('different random bytes give different API keys', () => {
  fc.assert(
    fc.property(randoms, randoms, (one, other) => {
      fc.pre(Buffer.compare(one, other) !== 0)
      assert.notEqual(formatApiKey(one), formatApiKey(other))
    }),
  )
})

test('the label of an API key shows only its first characters', () => {
  assert.equal(labelOf(formatApiKey(new Uint8Array(32))).length, 10)
  assert.equal(labelOf('0123456789abcdef'), '0123')
})
