import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { BodyBuffer } from './body-buffer.ts'

const sizes = [0, 1, 16_384, 16_385, 1_048_576, 3_000_001]

for (const expectedBytes of [undefined, 0, 100, 2_000_000]) {
  test(`a body has all its bytes, whatever pieces it comes in, where ${expectedBytes ?? 'no'} bytes were announced`, () => {
    for (const size of sizes) {
      for (const pieceBytes of [997, 65_536, 4_000_000]) {
        const bytes = randomBytes(size)
        const body = new BodyBuffer(expectedBytes)
        for (let at = 0; at < size; at += pieceBytes) body.add(bytes.subarray(at, at + pieceBytes))

        const taken = body.take()

        assert.equal(body.length, size)
        assert.equal(bytes.compare(taken), 0)
        assert.equal(taken.buffer.byteLength, size)
      }
    }
  })
}
