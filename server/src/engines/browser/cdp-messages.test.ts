import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CdpMessages } from './cdp-messages.ts'

function cut(chunks: Buffer[]): string[] {
  const heard: string[] = []
  const messages = new CdpMessages((text) => heard.push(text))
  for (const chunk of chunks) messages.add(chunk)
  return heard
}

test('messages are told one by one, however the stream is cut', () => {
  const stream = Buffer.from(`{"a":1}\0{"b":"é€"}\0{"c"`)
  for (let size = 1; size <= stream.length; size += 1) {
    const pieces = Math.ceil(stream.length / size)
    const chunks = Array.from({ length: pieces }, (_, index) =>
      stream.subarray(index * size, (index + 1) * size),
    )
    assert.deepEqual(cut(chunks), ['{"a":1}', '{"b":"é€"}'], `pieces of ${size}`)
  }
})
