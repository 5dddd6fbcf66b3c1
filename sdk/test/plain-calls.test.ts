/** Calls by method and path, and the parts for programs that pass responses on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  respondFailure,
  respondJson,
  startScriptedService,
} from '../../server/test/support/scripted-service.ts'
import { NotFoundError, readServerSentEvents, Trawl, TrawlError, waitForEnd } from '../src/index.ts'
import { take } from './trial/expect-trial.ts'

test('a call by its path has the query, the headers and the body that were given', async (t) => {
  const { url, calls } = await startScriptedService(t, (_call, response) =>
    response.setHeader('x-engine', 'http').end('{"id":12345678901234567890}'),
  )
  const trawl = new Trawl({ baseUrl: url, apiKey: 'key' })

  const response = await trawl.request({
    method: 'POST',
    path: '/v1/tasks',
    query: { page: 2, status: undefined },
    headers: { 'x-more': 'yes' },
    body: { callback: false },
  })

  assert.equal(await response.text(), '{"id":12345678901234567890}')
  assert.equal(response.headers.get('x-engine'), 'http')
  const [call] = calls
  assert.deepEqual([call?.method, call?.path], ['POST', '/v1/tasks?page=2'])
  assert.deepEqual([call?.headers['x-more'], call?.headers['x-api-key']], ['yes', 'key'])
  assert.deepEqual(call?.body, { callback: false })
})

test('a call by its path is refused as others are, and the error has what was said', async (t) => {
  const { url } = await startScriptedService(t, (_call, response) =>
    respondFailure(response, 404, 'NOT_FOUND'),
  )
  const trawl = new Trawl({ baseUrl: url, apiKey: 'key' })

  const error = await trawl.request({ method: 'GET', path: '/v1/nothing' }).catch((one) => one)

  assert.ok(error instanceof NotFoundError)
  assert.deepEqual(error.body, { code: 'NOT_FOUND', message: 'Words.' })
})

test('the error of a response that is not JSON has no body', async (t) => {
  const { url } = await startScriptedService(t, (_call, response) =>
    response.writeHead(404).end('<html>'),
  )
  const trawl = new Trawl({ baseUrl: url, apiKey: 'key' })

  const error = await trawl.request({ method: 'GET', path: '/' }).catch((one) => one)

  assert.ok(error instanceof TrawlError)
  assert.equal(error.body, undefined)
})

test('a response without content is one', async (t) => {
  const { url } = await startScriptedService(t, (_call, response) => response.writeHead(204).end())
  const trawl = new Trawl({ baseUrl: url, apiKey: 'key' })

  const response = await trawl.request({ method: 'DELETE', path: '/v1/webhooks/id' })

  assert.deepEqual([response.status, await response.text()], [204, ''])
})

test('the body of a stream is read as it arrives, event by event', async (t) => {
  const { url } = await startScriptedService(t, (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': ping\nid: 7\r\nevent: message\r\ndata: {"a":1}\r\n\r\n')
    response.end('data:first\ndata: second: with a colon\n\ndata: not finished')
  })
  const trawl = new Trawl({ baseUrl: url, apiKey: 'key' })

  const { body } = await trawl.request({ method: 'POST', path: '/mcp', body: {}, isStream: true })
  const events = await take(readServerSentEvents(body))

  assert.deepEqual(events, [
    { id: '7', data: '{"a":1}' },
    { id: '7', data: 'first\nsecond: with a colon' },
  ])
})

test('null keeps the credentials of the environment from being sent', async (t) => {
  const { url, calls } = await startScriptedService(t, (_call, response) =>
    respondJson(response, 200, {}),
  )
  const before = { ...process.env }
  t.after(() => Object.assign(process.env, { TRAWL_API_KEY: '', TRAWL_PASSWORD: '' }, before))
  Object.assign(process.env, { TRAWL_API_KEY: 'of the environment', TRAWL_PASSWORD: 'too' })

  await new Trawl({ baseUrl: url, apiKey: null, password: null }).getConcurrency()
  await new Trawl({ baseUrl: url, apiKey: null }).getConcurrency()

  const [none, password] = calls.map(({ headers }) => headers)
  assert.deepEqual([none?.['x-api-key'], none?.authorization], [undefined, undefined])
  assert.deepEqual(
    [password?.['x-api-key'], password?.authorization?.slice(0, 6)],
    [undefined, 'Basic '],
  )
})

test('a wait for anything ends when it is over, and reports each look', async () => {
  const seen: number[] = []
  let looks = 0
  const ended = await waitForEnd(
    async () => ++looks,
    (count) => count === 3,
    { interval: 1, onProgress: (count) => seen.push(count) },
  )

  assert.deepEqual([ended, seen], [3, [1, 2, 3]])
})
