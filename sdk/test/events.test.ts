/** The stream of events against a server that plays the service, and breaks the connection. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { startScriptedService } from '../../server/test/support/scripted-service.ts'
import { AuthError, ConnectionError, Trawl, type TrawlEvent } from '../src/index.ts'

const eventText = (id: number, type: string): string =>
  `id: ${id}\nevent: ${type}\ndata: {"type":"${type}","at":"now"}\n\n`

test('a broken stream is resumed after the last event, and a reset is passed on', async (t) => {
  const { url, calls } = await startScriptedService(t, (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (calls.length === 1) {
      // Split within a line, with a comment and both kinds of line ends.
      response.write(`: hello\r\n\r\n${eventText(7, 'queue')}id: 8\nda`)
      response.write('ta: {"type":"queue",\ndata: "at":"now"}\n\n: tide', () =>
        response.socket?.destroy(),
      )
    } else if (calls.length === 2)
      response.end() // a process that stops
    else response.write(eventText(20, 'reset') + eventText(21, 'queue'))
  })
  const trawl = new Trawl({ baseUrl: url, apiKey: 'a key of a test' })

  const seen: TrawlEvent[] = []
  let connections = 0
  const onConnect = () => void connections++
  const options = { topics: ['queue', 'jobs'], lastEventId: '6', onConnect }
  for await (const event of trawl.events(options)) {
    seen.push(event)
    if (event.id === '21') break
  }

  assert.deepEqual(
    seen.map(({ id, type }) => [id, type]),
    [
      ['7', 'queue'],
      ['8', 'queue'],
      ['20', 'reset'],
      ['21', 'queue'],
    ],
  )
  assert.deepEqual(
    calls.map(({ headers }) => headers['last-event-id']),
    ['6', '8', '8'],
  )
  assert.equal(calls[0]?.path, '/v1/events?topics=queue%2Cjobs')
  assert.equal(connections, 3)
})

test('leaving the loop closes the connection', async (t) => {
  let closed: Promise<unknown> | undefined
  const { url } = await startScriptedService(t, (_call, response) => {
    closed = once(response, 'close')
    response.writeHead(200).write(eventText(1, 'queue'))
  })

  for await (const _event of new Trawl({ baseUrl: url, apiKey: 'key' }).events()) break

  await closed
})

test('a stream that cannot be had throws, after as many tries as were asked for', async (t) => {
  const { url, calls } = await startScriptedService(t, (_call, response) => {
    if (calls.length > 1) response.writeHead(401).end('{"code":"UNAUTHORIZED","message":"No."}')
    else response.socket?.destroy()
  })
  const trawl = new Trawl({ baseUrl: url, apiKey: 'key' })

  await assert.rejects(trawl.events({ maxReconnects: 0 }).next(), ConnectionError)
  await assert.rejects(trawl.events().next(), AuthError)
  assert.equal(calls.length, 2)
})
