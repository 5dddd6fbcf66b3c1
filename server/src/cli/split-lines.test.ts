import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { splitLines } from './split-lines.ts'

async function linesOf(chunks: Uint8Array[], bytesMax = 1000): Promise<string[]> {
  const lines: string[] = []
  const tooLong = () => new Error('too long')
  for await (const line of splitLines(inTurn(chunks), { bytesMax, tooLong })) lines.push(line)
  return lines
}

async function* inTurn(chunks: Uint8Array[]) {
  yield* chunks
}

test('lines are the same wherever the chunks of a stream end', async () => {
  const lines = fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', '')))
  await fc.assert(
    fc.asyncProperty(lines, fc.integer({ min: 1, max: 9 }), async (given, size) => {
      const bytes = Buffer.from(given.map((line) => `${line}\n`).join(''))
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )

      assert.deepEqual(await linesOf(chunks), given)
    }),
  )
})

test('U+2028 ends no line, and the last line needs no line feed', async () => {
  assert.deepEqual(await linesOf([Buffer.from('"a\u2028b"\n\nc')]), ['"a\u2028b"', '', 'c'])
})

test('a line that is too long ends the reading', async () => {
  const chunks = [Buffer.from('ab\n'), Buffer.from('12345'), Buffer.from('6789')]

  await assert.rejects(linesOf(chunks, 8), /too long/)
})
