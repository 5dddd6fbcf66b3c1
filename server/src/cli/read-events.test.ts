import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEvents, type StreamEvent } from './read-events.ts'

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.split('\n')
}

test('events have an id, a name and data; comments and unfinished events are left out', async () => {
  const text = [
    ': ping',
    'id: 7\r',
    'event: task\r',
    'data: {"a":1}\r',
    '\r',
    'data:first',
    'data: second: with a colon',
    '',
    'id: 9',
    'data: not finished',
  ].join('\n')

  const events: StreamEvent[] = []
  for await (const event of readEvents(linesOf(text))) events.push(event)

  assert.deepEqual(events, [
    { id: '7', name: 'task', data: '{"a":1}' },
    { id: undefined, name: 'message', data: 'first\nsecond: with a colon' },
  ])
})
