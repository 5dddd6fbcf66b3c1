import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { z } from 'zod'
import { defineRoute, type Route, RouteResponse } from '../../src/http/route.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { sendRaw } from '../support/raw-http.ts'
import { createTestApp } from '../support/test-app.ts'

const Body = z.object({ status: z.literal('fine'), count: z.int() })

/** Everything a handler can do wrong. Each must become our own 500 instead of Fastify's. */
const faults: Record<string, () => unknown> = {
  'omits a required field': () => ({ status: 'fine' }),
  'returns a field of another type': () => ({ status: 'fine', count: 'canary' }),
  'returns a getter that throws': () => ({
    status: 'fine',
    get count(): number {
      throw new Error('canary')
    },
  }),
  'returns a cyclic body for an undeclared status': () => {
    const body: Record<string, unknown> = {}
    body['self'] = body
    return new RouteResponse(body, { status: 418 })
  },
  'sets an invalid header value': () =>
    new RouteResponse({ status: 'fine', count: 1 }, { headers: { 'x-target-url': 'canary\n' } }),
  'sets an invalid header name': () =>
    new RouteResponse({ status: 'fine', count: 1 }, { headers: { 'can ary': 'x' } }),
  'sets an invalid status': () => new RouteResponse({}, { status: 99_999 }),
  'returns an object with another media type': () =>
    new RouteResponse({ canary: 1 }, { headers: { 'content-type': 'text/html' } }),
  'returns a stream that breaks at once': () =>
    new RouteResponse(
      new Readable({
        read() {
          this.destroy(new Error('canary'))
        },
      }),
      { headers: { 'content-length': '1000', 'content-encoding': 'gzip' } },
    ),
  'throws an error': () => {
    throw new Error('canary')
  },
  'throws an error with its own status': () => {
    throw Object.assign(new Error('canary'), { statusCode: 418, code: 'E_CANARY' })
  },
  'throws an error with its own headers': () => {
    throw Object.assign(new Error('canary'), { headers: { 'x-canary': 'canary' } })
  },
  'throws a string': () => {
    throw 'canary'
  },
  'throws undefined': () => {
    throw undefined
  },
  'throws null': () => {
    throw null
  },
}

const faultyRoute = (handle: () => unknown): Route =>
  defineRoute('service', {
    operationId: 'faulty',
    request: 'GET /faulty',
    summary: 'For tests',
    response: { status: 200, description: 'Never.', body: Body },
    otherResponses: [
      { status: 500, description: 'With a body of its own.', body: Body },
      { status: 503, description: 'With a body of its own.', body: Body },
    ],
    handle: handle as () => z.input<typeof Body>,
  })

for (const [fault, handle] of Object.entries(faults)) {
  const kinds = { sync: handle, async: async () => handle() }
  for (const [kind, handler] of Object.entries(kinds)) {
    test(`a handler that ${fault} becomes our bare 500 (${kind})`, async (t) => {
      const { app } = createTestApp(t, { routes: [faultyRoute(handler)] })
      const url = await app.listen({ port: 0, host: '127.0.0.1' })

      const answer = await fetch(`${url}/faulty`)
      const text = await answer.text()
      const head = await fetch(`${url}/faulty`, { method: 'HEAD' })

      assertFailure(
        {
          statusCode: answer.status,
          headers: Object.fromEntries(answer.headers),
          json: () => JSON.parse(text),
        },
        'INTERNAL_ERROR',
      )
      assert.doesNotMatch(`${text}${JSON.stringify([...answer.headers])}`, /canary|FST_/)
      assert.equal(answer.headers.get('content-security-policy'), "sandbox; default-src 'none'")
      assert.equal(answer.headers.get('content-encoding'), null)
      assert.equal(head.headers.get('content-security-policy'), "sandbox; default-src 'none'")
      assert.equal(await head.text(), '')
      assert.equal((await fetch(`${url}/nope`)).status, 404, 'the service goes on')
    })
  }
}

test('an error that cannot be logged becomes our bare 500', async (t) => {
  const routes = [faultyRoute(() => ({}))]
  const { app, logged } = createTestApp(t, { routes })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  logged.push = (line) => {
    if (line?.['msg'] === 'request failed') throw new Error('canary')
    return 0
  }

  const { status, body } = await sendRaw(url, 'GET /faulty HTTP/1.1\r\nHost: x\r\n\r\n')

  assert.equal(status, 500)
  assert.equal(JSON.parse(body).code, 'INTERNAL_ERROR')
  assert.doesNotMatch(body, /canary/)
  assert.equal((await fetch(`${url}/nope`)).status, 404, 'the service goes on')
})

test('HEAD has the headers of GET and reads nothing of a streamed body', async (t) => {
  let readCount = 0
  const body = async function* () {
    readCount += 1
    yield Buffer.from('{}')
  }
  const headers = { 'content-type': 'application/x-ndjson', 'content-length': '2' }
  const stream = () => new RouteResponse(Readable.from(body(), { objectMode: false }), { headers })
  const { app } = createTestApp(t, { routes: [faultyRoute(stream)] })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })

  const head = await fetch(`${url}/faulty`, { method: 'HEAD' })
  const readByHead = readCount
  const get = await fetch(`${url}/faulty`)

  assert.equal(await get.text(), '{}')
  assert.deepEqual([readByHead, readCount], [0, 1])
  assert.equal(head.status, 200)
  for (const name of Object.keys(headers)) {
    assert.equal(head.headers.get(name), get.headers.get(name), name)
  }
})

test('every HTTP method gets a response of ours, on known and unknown paths', async (t) => {
  const { app } = createTestApp(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })

  for (const method of METHODS.filter((one) => one !== 'CONNECT')) {
    for (const path of ['/livez', '/nope', '*', '/%zz', 'http://evil.example/livez']) {
      for (const type of ['', 'Content-Type: text/plain\r\n', 'Content-Type: ;;\r\n']) {
        const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${type}`
        const { status, headers, body } = await sendRaw(url, `${head}Content-Length: 1\r\n\r\n1`)
        const asked = `${method} ${path} ${type.trim()}`

        assert.ok([200, 400, 404, 405, 415].includes(status), `${status} for ${asked}`)
        if (status === 200 || method === 'HEAD') continue
        const { code, correlation_id: id } = JSON.parse(body)
        assert.match(code, /^(BAD_REQUEST|NOT_FOUND|METHOD_NOT_ALLOWED|UNSUPPORTED_MEDIA_TYPE)$/)
        assert.equal(id, headers['x-request-id'], asked)
      }
    }
  }
})
