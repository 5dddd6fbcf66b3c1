import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventTopics } from '../wire/events/requests.ts'
import { EventRing } from './event-ring.ts'
import { EventStream } from './event-stream.ts'

const at = '2026-03-02T09:30:00.000Z'
const topics: EventTopics = {
  tasks: false,
  jobs: false,
  queue: true,
  taskIds: new Set(),
  jobIds: new Set(),
}

function openStream(ring: EventRing, lastEventId?: string): EventStream {
  const parts = { ring, topics, lastEventId, nowMs: () => 0, onClosed: () => undefined }
  const stream = new EventStream(parts)
  stream.open()
  return stream
}

const add = (ring: EventRing, waiting: number) =>
  ring.add({ type: 'queue', waiting, running: 0, at })

const read = (stream: EventStream): string => {
  let text = ''
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += String(chunk)
  return text
}

test('a listener gets what was added after its last event, and nothing twice', () => {
  const ring = new EventRing(10)
  for (const number of [1, 2, 3]) add(ring, number)

  const text = read(openStream(ring, ring.idOf(1)))

  assert.deepEqual(
    [...text.matchAll(/"waiting":(\d)/g)].map(([, count]) => count),
    ['2', '3'],
  )
  assert.doesNotMatch(text, /reset/)
})

test('an id that is too old, too new or of another ring gets a reset', () => {
  const ring = new EventRing(10)
  for (let number = 1; number <= 20; number += 1) add(ring, number)

  for (const id of [ring.idOf(5), ring.idOf(21), new EventRing(10).idOf(20), 'nonsense']) {
    assert.match(read(openStream(ring, id)), /event: reset/, id)
  }
  assert.doesNotMatch(read(openStream(ring, ring.idOf(10))), /reset/)
})

test('a listener that does not read is given a bounded text, then a reset', async () => {
  const ring = new EventRing(1_000)
  const stream = openStream(ring)
  for (let number = 0; number < 100_000; number += 1) {
    add(ring, number)
    stream.pump()
  }

  assert.ok(stream.readableLength < 20_000, `${stream.readableLength} bytes are buffered`)
  let text = read(stream)
  // Node asks for more once what it had was read.
  await new Promise((resolve) => setImmediate(resolve))
  text += read(stream)
  assert.match(text, /event: reset/)
  assert.ok(text.includes(`id: ${ring.idOf(100_000)}`))
})

test('an ended stream ends once, and is not opened again', () => {
  const stream = openStream(new EventRing(10))

  stream.end()
  stream.end()
  stream.open()
  stream.ping()

  assert.match(read(stream), /^retry: 2000\nid: /)
})
