import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, spliceJson } from './splice-json.ts'

const value = [Buffer.from('"a'), Buffer.from('b"')]
const read = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString()

test('a value that is JSON already stands between the other fields', () => {
  assert.equal(read(spliceJson({ x: 1 }, 'v"', value, { y: [] })), '{"x":1,"v\\"":"ab","y":[]}')
})

test('nothing need stand before or after it', () => {
  assert.equal(read(spliceJson({}, 'v', value)), '{"v":"ab"}')
  assert.equal(read(spliceJson({}, 'v', value, { y: null })), '{"v":"ab","y":null}')
})

test('its length is the length of all pieces', () => {
  assert.equal(bytesOf(spliceJson({}, 'v', value)), 10)
})
