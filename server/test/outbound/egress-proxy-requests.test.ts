import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { startTestDns } from '../support/test-dns.ts'
import { until } from '../support/until.ts'
import { ask, connectTo, openTestExit, say } from './open-exit.ts'
import { closed } from './outbound-client.ts'
import { pour, untilStill } from './pouring.ts'
import { startRawOrigin } from './raw-origin.ts'

const small = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'

/** The body is sent back as it comes. */
async function startEcho(t: TestContext): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    request.pipe(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, requests }
}

test('a target gets the same request as from a browser without a proxy', async (t) => {
  const heard = Promise.withResolvers<string>()
  const origin = await startRawOrigin(t, (socket, _nth, request) => {
    heard.resolve(request)
    socket.write(small)
  })
  const exit = await openTestExit(t)
  const host = `127.0.0.1:${origin.port}`

  const client = await connectTo(t, exit)
  client.socket.write(
    `GET http://${host}/a%20b/?c=d|e^f HTTP/1.1\r\nHost: ${host}\r\nProxy-Connection: keep-alive\r\n` +
      'Upgrade-Insecure-Requests: 1\r\nUser-Agent: Test\r\naccept: */*\r\nCookie: a=1\r\n' +
      'Connection: x-private, content-length\r\nX-Private: 1\r\nTE: trailers\r\nKeep-Alive: timeout=5\r\n' +
      'Proxy-Authorization: Basic eA==\r\nUpgrade: h2c\r\nX-Last: caf\xe9\r\n\r\n',
    'latin1',
  )
  await client.untilRead('hello')

  assert.equal(
    await heard.promise,
    `GET /a%20b/?c=d|e^f HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n` +
      'Upgrade-Insecure-Requests: 1\r\nUser-Agent: Test\r\naccept: */*\r\nCookie: a=1\r\n' +
      'X-Last: caf\xe9\r\n\r\n',
  )
})

test('a response is forwarded unchanged, except for its hop-by-hop headers', async (t) => {
  const kept =
    'content-TYPE: text/html\r\nSet-Cookie: a=1\r\nX-Latin: caf\xe9\r\nset-cookie: b=2\r\n' +
    'Content-Encoding: gzip\r\nServer: x\r\nContent-Length: 8\r\nX-Empty: \r\n'
  const origin = await startRawOrigin(t, (socket) =>
    socket.write(
      `HTTP/1.1 404 Nope at \xe4ll\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\n` +
        `Proxy-Authenticate: Basic\r\nUpgrade: h2c\r\nTrailer: x\r\n${kept}\r\nnot gzip`,
      'latin1',
    ),
  )
  const exit = await openTestExit(t)

  const client = await connectTo(t, exit)
  client.socket.write(`GET ${origin.url} HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\n\r\n`)
  await client.untilRead('not gzip')

  assert.equal(client.text, `HTTP/1.1 404 Nope at \xe4ll\r\n${kept}\r\nnot gzip`)
})

for (const [name, method, answer, body] of [
  ['a status without a text', 'GET', '203 \r\nContent-Length: 2\r\n\r\nok', 'ok'],
  ['a status nobody knows', 'GET', '999 No\r\nContent-Length: 2\r\n\r\nok', 'ok'],
  ['a status without a body', 'GET', '204 No Content\r\n\r\n', ''],
  ['not modified', 'GET', '304 Not Modified\r\nContent-Length: 9\r\n\r\n', ''],
  ['the headers alone', 'HEAD', '200 OK\r\nContent-Length: 9\r\n\r\n', ''],
  ['chunks', 'GET', '200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', 'ok'],
  ['a body that ends with the connection', 'GET', '200 OK\r\nConnection: close\r\n\r\nok', 'ok'],
  [
    'early hints first',
    'GET',
    '103 Early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    'ok',
  ],
  [
    'an unsolicited 100 Continue first',
    'GET',
    '100 Continue\r\na: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    'ok',
  ],
  ['a redirect', 'GET', '302 Found\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n', ''],
  [
    'three thousand headers',
    'GET',
    `200 OK\r\n${'a:b\r\n'.repeat(3000)}Content-Length: 2\r\n\r\nok`,
    'ok',
  ],
] as const) {
  test(`a response with ${name} is forwarded`, async (t) => {
    const origin = await startRawOrigin(t, (socket) => {
      socket.write(`HTTP/1.1 ${answer}`)
      if (answer.includes('close')) socket.end()
    })
    const exit = await openTestExit(t)

    const got = await ask(exit, origin.url, { method })

    assert.equal(got.body.toString(), body)
    assert.ok(answer.includes(`${got.status} `))
    if (name.startsWith('three')) assert.equal(got.headers.length, 6_002)
    assert.equal(exit.problemOf('127.0.0.1', origin.port), undefined)
  })
}

for (const framing of ['content-length', 'transfer-encoding'] as const) {
  test(`bodies framed by ${framing} are streamed in both directions`, async (t) => {
    const echo = await startEcho(t)
    const exit = await openTestExit(t)
    const body = randomBytes(5 * 2 ** 20)
    const value = framing === 'content-length' ? body.length : 'chunked'

    const answer = await ask(exit, echo.url, {
      method: 'POST',
      headers: { [framing]: value },
      body,
    })

    assert.ok(answer.body.equals(body))
    assert.equal(echo.requests[0]?.headers[framing], String(value))
  })
}

test('a request without a body is forwarded without one', async (t) => {
  const echo = await startEcho(t)
  const exit = await openTestExit(t)

  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const { host } = new URL(echo.url)
    const client = await connectTo(t, exit)
    client.socket.write(`${method} ${echo.url} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await client.untilRead('0\r\n\r\n')

    const { headers } = echo.requests.at(-1) as IncomingMessage
    assert.equal(echo.requests.at(-1)?.method, method)
    assert.equal(headers['content-length'] ?? headers['transfer-encoding'], undefined)
  }
})

test('response headers are forwarded before the body arrives', async (t) => {
  const origin = await startRawOrigin(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n')
  })
  const exit = await openTestExit(t)
  const client = await connectTo(t, exit)

  client.socket.write(`GET ${origin.url} HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\n\r\n`)

  await client.untilRead('text/event-stream')
})

test('a response sent before the whole request body is forwarded, and the connection stays usable', async (t) => {
  const origin = await startRawOrigin(
    t,
    () => {},
    (socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno'),
      ),
  )
  const echo = await startEcho(t)
  const exit = await openTestExit(t)
  const client = await connectTo(t, exit)
  const body = Buffer.alloc(4 * 2 ** 20)

  client.socket.write(
    `POST ${origin.url} HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  client.socket.write(body.subarray(0, 100_000))
  await client.untilRead('\r\n\r\nno')
  client.socket.write(body.subarray(100_000))
  client.socket.write(`GET ${echo.url} HTTP/1.1\r\nHost: ${new URL(echo.url).host}\r\n\r\n`)

  await client.untilRead('0\r\n\r\n')
})

const headOf = (url: string) => `${url} HTTP/1.1\r\nHost: ${new URL(url, 'http://x').host}\r\n\r\n`

for (const [name, line] of [
  ['a path alone', 'GET /'],
  ['a star', 'OPTIONS *'],
  ['https', 'GET https://127.0.0.1/'],
  ['ftp', 'GET ftp://127.0.0.1/'],
  ['ws', 'GET ws://127.0.0.1/'],
  ['a user', 'GET http://me:pw@127.0.0.1/'],
  ['a fragment', 'GET http://127.0.0.1/#a'],
  ['a backslash', 'GET http://127.0.0.1\\@example.com/'],
  ['a host that is none', 'GET http://a..b:99999/'],
  ['no host', 'GET http:///'],
  ['another protocol', '\x16\x03\x01\x02'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a method nobody knows', 'STEAL http://127.0.0.1/'],
  [
    'a length and chunks',
    'GET http://127.0.0.1/ HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
  ],
  ['headers without an end', `GET http://127.0.0.1/ HTTP/1.1\r\n${'a: b\r\n'.repeat(20_000)}`],
] as const) {
  test(`a request with ${name} is refused as malformed`, async (t) => {
    const exit = await openTestExit(t)

    const answer = await say(t, exit, `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)

    assert.match(answer, /^(HTTP.1.1 4(00|31) [\w ]+\r\n([\w-]+: \w+\r\n)*\r\n)?$/)
    assert.equal(exit.problemOf('127.0.0.1', 80), undefined)
    assert.deepEqual(exit.bytes, { received: 0, sent: 0 })
  })
}

for (const [name, hosts] of [
  ['another host', ['Host: example.com']],
  ['another port', ['Host: 127.0.0.1:1']],
  ['two hosts', ['Host: HERE', 'Host: example.com']],
] as const) {
  test(`a request whose Host header names ${name} gets no response`, async (t) => {
    const origin = await startRawOrigin(t, (socket) => socket.write(small))
    const exit = await openTestExit(t)
    const headers = hosts.join('\r\n').replace('HERE', `127.0.0.1:${origin.port}`)

    const answer = await say(t, exit, `GET ${origin.url} HTTP/1.1\r\n${headers}\r\n\r\n`)

    assert.equal(answer, '')
    assert.equal(exit.problemOf('127.0.0.1', origin.port), 'not_allowed')
    assert.equal(origin.connections, 0)
  })
}

test('different spellings of a host are forwarded in one normal form', async (t) => {
  const heard = Promise.withResolvers<string>()
  const origin = await startRawOrigin(t, (socket, _nth, request) => {
    heard.resolve(request)
    socket.write(small)
  })
  const dns = await startTestDns(t, { 'some.example.com': { addresses: ['127.0.0.1'] } })
  const exit = await openTestExit(t, { dns })
  const client = await connectTo(t, exit)

  client.socket.write(
    `GET http://SOME.example.com:${origin.port}/ HTTP/1.1\r\nHost: Some.Example.com:${origin.port}\r\n\r\n`,
  )

  assert.match(await heard.promise, new RegExp(`\r\nHost: some.example.com:${origin.port}\r\n`))
})

test('a forbidden or unreachable target gets no response, and its problem is recorded', async (t) => {
  const origin = await startRawOrigin(t, (socket) => socket.write(small))
  const dns = await startTestDns(t, {
    'gone.example.com': 'NXDOMAIN',
    'mute.example.com': 'silence',
    'inside.example.com': { addresses: ['127.0.0.1'] },
    'closed.example.com': { addresses: ['127.9.9.9'] },
  })
  const strict = await openTestExit(t, { rules: closed, dns })
  const exit = await openTestExit(t, { dns, limits: { dnsMs: 200 } })
  const { port } = origin

  for (const [way, host, problem] of [
    [strict, '127.0.0.1', 'not_allowed'],
    [strict, 'inside.example.com', 'not_allowed'],
    [exit, 'gone.example.com', 'dns'],
    [exit, 'mute.example.com', 'dns_silent'],
    [exit, 'closed.example.com', 'unreachable'],
  ] as const) {
    const answer = await say(t, way, `GET ${headOf(`http://${host}:${port}/`)}`)

    assert.equal(answer, '', host)
    assert.equal(way.problemOf(host, port), problem)
  }
  assert.equal(origin.connections, 0)
})

test('connections are reused within an egress proxy and never by another', async (t) => {
  const origin = await startRawOrigin(t, (socket) => socket.write(small))
  const first = await openTestExit(t)
  const second = await openTestExit(t)

  await ask(first, origin.url)
  await ask(first, origin.url)
  assert.equal(origin.connections, 1)
  await ask(second, origin.url)
  assert.equal(origin.connections, 2)
})

for (const [method, outcome] of [
  ['GET', 'is sent once more'],
  ['POST', 'is not sent again'],
] as const) {
  test(`a ${method} on an idle connection that is closed before the response ${outcome}`, async (t) => {
    const origin = await startRawOrigin(t, (socket, nth) =>
      nth === 1 ? socket.write(small) : socket.resetAndDestroy(),
    )
    const exit = await openTestExit(t)
    await ask(exit, origin.url)

    const again = ask(exit, origin.url, { method })

    if (method === 'GET') assert.equal((await again).status, 200)
    else await assert.rejects(again, { code: 'ECONNRESET' })
    assert.equal(origin.connections, method === 'GET' ? 2 : 1)
    assert.equal(
      exit.problemOf('127.0.0.1', origin.port),
      method === 'GET' ? undefined : 'unreachable',
    )
  })
}

test('a request is aborted when the browser disconnects', async (t) => {
  const asked = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const origin = await startRawOrigin(
    t,
    () => asked.resolve(),
    (socket) => socket.on('close', () => ended.resolve()),
  )
  const exit = await openTestExit(t)
  const client = await connectTo(t, exit)

  client.socket.write(`GET ${headOf(origin.url)}`)
  await asked.promise
  client.socket.destroy()

  await ended.promise
  assert.equal(exit.problemOf('127.0.0.1', origin.port), undefined)
})

test('an endless response is not read while the browser does not read (backpressure)', async (t) => {
  const origin = await startRawOrigin(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    pour(socket)
  })
  const exit = await openTestExit(t)
  const client = await connectTo(t, exit)

  client.socket.write(`GET ${headOf(origin.url)}`)
  await client.untilRead('200 OK')
  client.socket.pause()
  const stoppedAt = await untilStill(() => exit.bytes.received)
  assert.ok(stoppedAt < 24 * 2 ** 20, `${stoppedAt} bytes were read`)
  client.socket.resume()

  await until(() => exit.bytes.received > stoppedAt + 2 ** 20)
})
