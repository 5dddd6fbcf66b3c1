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

test('a value that is JSON already is inserted between the other fields', () => {
  assert.equal(read(spliceJson({ x: 1 }, 'v"', value, { y: [] })), '{"x":1,"v\\"":"ab","y":[]}')
})

test('a spliced value may have no fields before or after it', () => {
  assert.equal(read(spliceJson({}, 'v', value)), '{"v":"ab"}')
  assert.equal(read(spliceJson({}, 'v', value, { y: null })), '{"v":"ab","y":null}')
})

test('a spliced object may follow a spliced value', () => {
  const after = spliceJson({ x: 1 }, 'w', value, { y: 2 })

  assert.equal(read(spliceJson({}, 'v', value, after)), '{"v":"ab","x":1,"w":"ab","y":2}')
  assert.equal(read(spliceJson({}, 'v', value, spliceJson({}, 'w', value))), '{"v":"ab","w":"ab"}')
})

test('bytesOf is the length of all pieces', () => {
  assert.equal(bytesOf(spliceJson({}, 'v', value)), 10)
})

test('a base64 piece has the length that it announces', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const piece = base64Piece(bytes)
      assert.equal(read([piece]), Buffer.from(bytes).toString('base64'))
      assert.equal(read([piece]).length, piece.byteLength)
    }),
  )
})

test('a large image is encoded in small slices', () => {
  // Inside a larger buffer, as bytes from a socket are.
  const bytes = Buffer.alloc(2 ** 20 + 9, 'a fish').subarray(8)

  const slices = [...slicesOf([base64Piece(bytes)])]

  assert.equal(Buffer.concat(slices).toString(), bytes.toString('base64'))
  assert.ok(slices.every((slice) => slice.byteLength <= 2 ** 18))
})
