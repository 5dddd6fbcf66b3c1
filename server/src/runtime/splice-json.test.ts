import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  base64Piece,
  bytesOf,
  type JsonPieces,
  joined,
  slicesOf,
  spliceJson,
} from './splice-json.ts'

const value = [Buffer.from('"a'), Buffer.from('b"')]
const read = (pieces: JsonPieces) => Buffer.from(joined(pieces)).toString()

test('a value that is JSON already stands between the other fields', () => {
  assert.equal(read(spliceJson({ x: 1 }, 'v"', value, { y: [] })), '{"x":1,"v\\"":"ab","y":[]}')
})

test('nothing need stand before or after it', () => {
  assert.equal(read(spliceJson({}, 'v', value)), '{"v":"ab"}')
  assert.equal(read(spliceJson({}, 'v', value, { y: null })), '{"v":"ab","y":null}')
})

test('another such object can stand after it', () => {
  const after = spliceJson({ x: 1 }, 'w', value, { y: 2 })

  assert.equal(read(spliceJson({}, 'v', value, after)), '{"v":"ab","x":1,"w":"ab","y":2}')
  assert.equal(read(spliceJson({}, 'v', value, spliceJson({}, 'w', value))), '{"v":"ab","w":"ab"}')
})

test('its length is the length of all pieces', () => {
  assert.equal(bytesOf(spliceJson({}, 'v', value)), 10)
})

test('bytes become base64 of a length that is known before', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const piece = base64Piece(bytes)
      assert.equal(read([piece]), Buffer.from(bytes).toString('base64'))
      assert.equal(read([piece]).length, piece.byteLength)
    }),
  )
})

test('a large image is made in slices, none of them large', () => {
  // Inside a larger buffer, as bytes from a socket are.
  const bytes = Buffer.alloc(2 ** 20 + 9, 'a fish').subarray(8)

  const slices = [...slicesOf([base64Piece(bytes)])]

  assert.equal(Buffer.concat(slices).toString(), bytes.toString('base64'))
  assert.ok(slices.every((slice) => slice.byteLength <= 2 ** 18))
})
