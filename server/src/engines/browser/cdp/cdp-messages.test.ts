import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CdpMessages } from './cdp-messages.ts'

function cut(chunks: Buffer[], bytesMax = 1_000): string[] {
  const heard: string[] = []
  const messages = new CdpMessages(
    {
      onMessage: (text) => heard.push(text),
      onTooLarge: (beginning, end) => heard.push(`too large: ${beginning} … ${end}`),
    },
    { bytesMax },
  )
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

test('of a message that is too large only its edges are kept, and the next is heard', () => {
  const large = Buffer.from(`{"id":7,"result":"${'x'.repeat(10_000)}","sessionId":"AB"}\0`)
  const next = Buffer.from('{"id":8}\0')
  const bytes = Array.from(large, (byte) => Buffer.from([byte]))
  for (const chunks of [[large.subarray(0, 9_000), large.subarray(9_000)], bytes]) {
    const heard = cut([...chunks, next])

    assert.equal(heard.length, 2)
    assert.match(heard[0] ?? '', /^too large: \{"id":7,.*"sessionId":"AB"\}$/)
    assert.equal(heard[1], '{"id":8}')
  }
})
