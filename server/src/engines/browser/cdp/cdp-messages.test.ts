import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CdpMessages } from './cdp-messages.ts'

function split(chunks: Buffer[]): string[] {
  const received: string[] = []
  const messages = new CdpMessages(
    {
      onMessage: (text) => received.push(text),
      onTooLarge: (beginning, end, bytes) => received.push(`${bytes} bytes: ${beginning} … ${end}`),
    },
    { answerBytesMax: 1_000, eventBytesMax: 500 },
  )
  for (const chunk of chunks) messages.add(chunk)
  return received
}

test('messages are split correctly however the stream is chunked', () => {
  const stream = Buffer.from(`{"a":1}\0{"b":"é€"}\0{"c"`)
  for (let size = 1; size <= stream.length; size += 1) {
    const pieces = Math.ceil(stream.length / size)
    const chunks = Array.from({ length: pieces }, (_, index) =>
      stream.subarray(index * size, (index + 1) * size),
    )
    assert.deepEqual(split(chunks), ['{"a":1}', '{"b":"é€"}'], `pieces of ${size}`)
  }
})

test('only the edges of an oversized message are kept, and the next message is whole', () => {
  const large = Buffer.from(`{"id":7,"result":"${'x'.repeat(10_000)}","sessionId":"AB"}\0`)
  const next = Buffer.from('{"id":8}\0')
  const bytes = Array.from(large, (byte) => Buffer.from([byte]))
  for (const chunks of [[large.subarray(0, 9_000), large.subarray(9_000)], bytes]) {
    const received = split([...chunks, next])

    assert.equal(received.length, 2)
    assert.match(received[0] ?? '', /^10037 bytes: \{"id":7,.*"sessionId":"AB"\}$/)
    assert.equal(received[1], '{"id":8}')
  }
})

test('an event may have fewer bytes than an answer', () => {
  const [answer, event] = ['{"id":7', '{"method":"M"'].map((start) =>
    Buffer.from(`${start},"x":"${'x'.repeat(600)}","sessionId":"AB"}\0`),
  )
  const pieces = [answer, event].flatMap((message) =>
    message ? [message.subarray(0, 3), message.subarray(3, 400), message.subarray(400)] : [],
  )

  const [whole, cut] = split(pieces)

  assert.equal(`${whole}\0`, String(answer))
  assert.match(cut ?? '', /^\d+ bytes: \{"method":"M",.*"sessionId":"AB"\}$/)
})
