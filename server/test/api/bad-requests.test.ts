import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { z } from 'zod'
import { Failure } from '../../src/domain/failure.ts'
import { defineRoute } from '../../src/http/route.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { parseResponse, sendRaw } from '../support/raw-http.ts'
import { createTestApp } from '../support/test-app.ts'

const echo = defineRoute('service', {
  operationId: 'echo',
  request: 'POST /echo/:id',
  summary: 'For tests',
  params: z.object({ id: z.uuid() }),
  query: z.object({ loud: z.enum(['yes', 'no']).optional() }),
  body: z.strictObject({
    name: z.string().max(5),
    count: z.int().min(1).max(9).default(1),
    tags: z.array(z.string()).min(1).optional(),
    isFast: z.boolean().optional(),
    target: z.url().optional(),
  }),
  response: { status: 200, description: 'Said again.', body: z.object({ name: z.string() }) },
  handle: ({ body }) => ({ name: body.name, secret: 'never declared, never sent' }),
})

const broken = (message: string) =>
  defineRoute('service', {
    operationId: 'broken',
    request: 'GET /broken',
    summary: 'For tests',
    response: { status: 200, description: 'Never.', body: z.object({}) },
    handle: () => {
      throw new Error(message)
    },
  })

const storeless = defineRoute('service', {
  operationId: 'storeless',
  request: 'GET /storeless',
  summary: 'For tests',
  response: { status: 200, description: 'Never.', body: z.object({}) },
  handle: () => {
    throw new Failure('STORE_UNAVAILABLE', 'The store is full.', { cause: 'SQLITE_FULL' })
  },
})

const goodPath = '/echo/0190b3a0-0000-7000-8000-000000000000'

async function post(t: TestContext, request: { path?: string; body?: string; type?: string }) {
  const { app } = createTestApp(t, { routes: [echo] })
  return await app.inject({
    method: 'POST',
    url: request.path ?? goodPath,
    headers: { 'content-type': request.type ?? 'application/json' },
    body: request.body ?? '{"name":"ada"}',
  })
}

test('a response contains the declared fields and no others', async (t) => {
  const answer = await post(t, {})

  assert.equal(answer.statusCode, 200)
  assert.deepEqual(answer.json(), { name: 'ada' })
})

test('an unknown path gets 404 with the error object', async (t) => {
  const { app } = createTestApp(t)

  for (const url of ['/nope', '/.env', '/livez/', '//', '/livez%00', '/v1']) {
    assertFailure(await app.inject(url), 'NOT_FOUND')
  }
})

test('a wrong method gets 405 and the allowed methods', async (t) => {
  const { app } = createTestApp(t, { routes: [echo] })

  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    const answer = await app.inject({ method, url: goodPath, body: method === 'PUT' ? '{' : '' })
    assertFailure(answer, 'METHOD_NOT_ALLOWED')
    assert.equal(answer.headers['allow'], 'POST')
  }
})

test('malformed JSON gets 422 json_invalid, with the position if it is known', async (t) => {
  const body = assertFailure(await post(t, { body: '{"name": "ada" x}' }), 'VALIDATION_ERROR')

  assert.deepEqual(body['detail'], [
    { loc: ['body', '15'], msg: 'JSON decode error', type: 'json_invalid' },
  ])
})

test('a body that is not UTF-8 gets 422 json_invalid', async (t) => {
  const { app } = createTestApp(t, { routes: [echo] })
  const answer = await app.inject({
    method: 'POST',
    url: goodPath,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from([0x22, 0xff, 0x22]),
  })

  assertFailure(answer, 'VALIDATION_ERROR')
})

test('a missing body is reported as one missing field', async (t) => {
  const { app } = createTestApp(t, { routes: [echo] })
  const body = assertFailure(
    await app.inject({ method: 'POST', url: goodPath }),
    'VALIDATION_ERROR',
  )

  assert.deepEqual(body['detail'], [{ loc: ['body'], msg: 'Field required', type: 'missing' }])
})

test('a wrong content type gets 415', async (t) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
    assertFailure(await post(t, { type }), 'UNSUPPORTED_MEDIA_TYPE')
  }
})

test('a body that is too large gets 413', async (t) => {
  const body = JSON.stringify({ name: 'a'.repeat(2000) })

  assertFailure(await post(t, { body }), 'PAYLOAD_TOO_LARGE')
})

test('a body with more values or escapes than any request needs gets 413, unparsed', async (t) => {
  const roomy = { ...echo, bodyBytesMax: 5 * 2 ** 20 }
  const { app } = createTestApp(t, { routes: [roomy] })
  const parse = t.mock.method(JSON, 'parse')
  const headers = { 'content-type': 'application/json' }

  for (const [body, limit] of [
    [`{"name":"ada","tags":[${'{},'.repeat(1_700_000)}{}]}`, '20000 JSON values'],
    [`{"name":"ada","tags":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, '20000 JSON values'],
    [`{"name":"${'\\\\'.repeat(1_000_000)}"}`, '200000 escapes'],
  ] as const) {
    const answer = await app.inject({ method: 'POST', url: goodPath, headers, body })
    const { message } = assertFailure(answer, 'PAYLOAD_TOO_LARGE')
    assert.match(String(message), new RegExp(limit))
  }
  const lengths = parse.mock.calls.map((call) => call.arguments[0].length)
  assert.ok(Math.max(...lengths) < 1_000, `Texts of these lengths were parsed: ${lengths}`)
})

test('a caller who sends on after a body was refused can still read why', async (t) => {
  const { app } = createTestApp(t, { routes: [echo] })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const socket = connect(Number(port), '127.0.0.1')
  t.after(() => socket.destroy())
  const write = (bytes: string) =>
    new Promise<void>((resolve, reject) => {
      socket.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  const head = ['host: trawl.test', 'content-type: application/json', 'transfer-encoding: chunked']
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`

  await write([`POST ${goodPath} HTTP/1.1`, ...head, '\r\n'].join('\r\n'))
  for (let count = 0; count < 64; count += 1) await write(chunk)
  const { status, body } = parseResponse(await text(socket))

  assert.equal(status, 413)
  assert.match(body, /"code":"PAYLOAD_TOO_LARGE"/)
})

test('all validation errors of path, query and body are reported at once, without the input', async (t) => {
  const input = {
    count: 10,
    tags: [],
    isFast: 'canary',
    target: 'canary',
    nmae: 'canary',
  }
  const answer = await post(t, { path: '/echo/canary?loud=canary', body: JSON.stringify(input) })
  const body = assertFailure(answer, 'VALIDATION_ERROR')

  assert.deepEqual(body['detail'], [
    { loc: ['path', 'id'], msg: 'Input should be a valid UUID', type: 'uuid_parsing' },
    { loc: ['query', 'loud'], msg: "Input should be 'yes' or 'no'", type: 'literal_error' },
    { loc: ['body', 'name'], msg: 'Field required', type: 'missing' },
    {
      loc: ['body', 'count'],
      msg: 'Input should be less than or equal to 9',
      type: 'less_than_equal',
    },
    {
      loc: ['body', 'tags'],
      msg: 'List should have at least 1 item after validation',
      type: 'too_short',
    },
    { loc: ['body', 'isFast'], msg: 'Input should be a valid boolean', type: 'bool_type' },
    { loc: ['body', 'target'], msg: 'Input should be a valid URL', type: 'url_parsing' },
    {
      loc: ['body', 'nmae'],
      msg: "Extra inputs are not permitted; did you mean 'name'?",
      type: 'extra_forbidden',
    },
  ])
  assert.ok(!answer.body.includes('canary'))
})

test('the error for a string that is too long says the maximum length', async (t) => {
  const body = assertFailure(await post(t, { body: '{"name":"adalovelace"}' }), 'VALIDATION_ERROR')

  assert.deepEqual(body['detail'], [
    {
      loc: ['body', 'name'],
      msg: 'String should have at most 5 characters',
      type: 'string_too_long',
    },
  ])
})

test('a URL that is too long gets 414', async (t) => {
  const { app } = createTestApp(t)

  assertFailure(await app.inject(`/livez?${'a'.repeat(9000)}`), 'URI_TOO_LONG')
})

test('a URL that cannot be decoded gets 400', async (t) => {
  const { app } = createTestApp(t)

  assertFailure(await app.inject('/%zz'), 'BAD_REQUEST')
})

test('an unexpected error is a bare 500, and the log has it under the correlation id', async (t) => {
  const { app, logged } = createTestApp(t, { routes: [broken('canary 10.0.0.1')] })
  const answer = await app.inject('/broken')
  const body = assertFailure(answer, 'INTERNAL_ERROR')

  assert.ok(!answer.body.includes('canary'))
  const entry = logged.find((line) => line['requestId'] === body['correlation_id'] && line['err'])
  assert.match(JSON.stringify(entry), /canary/)
})

test('an unavailable store gets 503 with Retry-After and a clear log line', async (t) => {
  const { app, logged } = createTestApp(t, { routes: [storeless] })
  const body = assertFailure(await app.inject('/storeless'), 'STORE_UNAVAILABLE')

  assert.equal(body['message'], 'The store is full.')
  assert.ok(logged.some((line) => line['code'] === 'STORE_UNAVAILABLE'))
})

test('a well-formed X-Request-Id is kept, any other is replaced', async (t) => {
  const { app } = createTestApp(t)
  const idFor = async (given: string) =>
    (await app.inject({ url: '/livez', headers: { 'x-request-id': given } })).headers[
      'x-request-id'
    ]

  assert.equal(await idFor('order_1234-abcd'), 'order_1234-abcd')
  for (const bad of ['short', 'a'.repeat(65), 'has space', 'semi;colon']) {
    assert.notEqual(await idFor(bad), bad)
  }
})

test('bytes that are not HTTP get our error body', async (t) => {
  const { app } = createTestApp(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const longName = `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nhost: x\r\n\r\n`
  const bigHeader = `GET /livez HTTP/1.1\r\nhost: x\r\nbig: ${'a'.repeat(70_000)}\r\n\r\n`
  const cases = [
    ['NONSENSE\r\n\r\n', 400, 'BAD_REQUEST'],
    ['GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'BAD_REQUEST'],
    ['GET /livez HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400, 'BAD_REQUEST'],
    [longName, 414, 'URI_TOO_LONG'],
    [bigHeader, 431, 'HEADERS_TOO_LARGE'],
  ] as const

  for (const [bytes, status, code] of cases) {
    const answer = await sendRaw(url, bytes.replace('host: x', 'host: x\r\nconnection: close'))
    assertFailure(
      { statusCode: answer.status, headers: answer.headers, json: () => JSON.parse(answer.body) },
      code,
    )
    assert.equal(answer.status, status)
  }
})
