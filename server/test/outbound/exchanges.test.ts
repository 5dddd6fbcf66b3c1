import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { startTestDns } from '../support/test-dns.ts'
import { until } from '../support/until.ts'
import { allowing, openClient, problemOf } from './outbound-client.ts'
import { startRawOrigin } from './raw-origin.ts'

const here = allowing('127.0.0.0/8')
const small = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'
const answerSmall = (socket: Socket) => void socket.write(small)

test('a response has its status, its headers in lower case and its unchanged body', async (t) => {
  const origin = await startRawOrigin(t, (socket) =>
    socket.write(
      'HTTP/1.1 404 Nope\r\nContent-Type: text/html\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n' +
        'X-Latin: caf\xe9\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnot gzip',
      'latin1',
    ),
  )
  const client = openClient(t, here)

  const answer = await client.send(origin.url)

  assert.equal(answer.statusCode, 404)
  assert.deepEqual(answer.headers, [
    ['content-type', 'text/html'],
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
    ['x-latin', 'café'],
    ['content-encoding', 'gzip'],
    ['content-length', '8'],
  ])
  assert.equal(Buffer.from(answer.body).toString(), 'not gzip')
  assert.equal(answer.body.buffer.byteLength, 8)
})

test('a request has the path, headers and body, and never the credentials of the URL', async (t) => {
  const { url, requests } = await startEcho(t)
  const client = openClient(t, here)

  await client.send(`${url.replace('//', '//me:secret@')}a/b?c=d#e`, {
    method: 'POST',
    headers: { 'x-kind': 'test', 'content-type': 'application/json' },
    body: Buffer.from('{"a":1}'),
  })

  const [request] = requests
  assert.equal(request?.line, 'POST /a/b?c=d')
  assert.equal(request?.headers['x-kind'], 'test')
  assert.equal(request?.headers['content-length'], '7')
  assert.equal(request?.body, '{"a":1}')
  assert.equal(JSON.stringify(requests).includes('secret'), false)
})

test('the client returns a redirect and does not follow it', async (t) => {
  const origin = await startRawOrigin(t, (socket) =>
    socket.write('HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/\r\ncontent-length: 0\r\n\r\n'),
  )
  const client = openClient(t, here)

  const answer = await client.send(origin.url)

  assert.equal(answer.statusCode, 302)
  assert.equal(origin.connections, 1)
})

test('a connection is reused, but a measured exchange opens its own and has all timings', async (t) => {
  const origin = await startRawOrigin(t, answerSmall)
  const dns = await startTestDns(t, { 'kept.example.com': { addresses: ['127.0.0.1'] } })
  const client = openClient(t, here, { dns })
  const url = `http://kept.example.com:${origin.port}/`

  const first = await client.send(url)
  const second = await client.send(url)
  const measured = await client.send(url, { isMeasured: true })

  assert.equal(origin.connections, 2)
  assert.ok(first.timings.dnsMs > 0 && first.timings.connectMs > 0)
  const { dnsMs, connectMs, tlsMs } = second.timings
  assert.deepEqual({ dnsMs, connectMs, tlsMs }, { dnsMs: 0, connectMs: 0, tlsMs: 0 })
  assert.ok(measured.timings.dnsMs > 0)
  assert.ok(measured.timings.connectMs > 0)
  assert.ok(measured.timings.firstByteMs > 0)
  assert.ok(measured.timings.downloadMs > 0)
})

test('pooled connections are not shared between purposes', async (t) => {
  const origin = await startRawOrigin(t, answerSmall)
  const client = openClient(t, here)

  await client.send(origin.url, { purpose: 'target' })
  await client.send(origin.url, { purpose: 'callback' })

  assert.equal(origin.connections, 2)
})

test('no request waits for a connection, and a limited number of idle ones is kept', async (t) => {
  const held: Socket[] = []
  const origin = await startRawOrigin(t, (socket) => {
    held.push(socket)
    // The target answers nobody before it was asked by all.
    if (held.length === 200) held.forEach(answerSmall)
  })
  const client = openClient(t, here)

  const answers = await Promise.all(Array.from({ length: 200 }, () => client.send(origin.url)))

  assert.ok(answers.every(({ statusCode }) => statusCode === 200))
  await until(() => origin.openConnections === 64)
})

test('accounts share no connection to an origin', async (t) => {
  const origin = await startRawOrigin(t, answerSmall)
  const client = openClient(t, here)

  for (const accountId of ['one', 'other', 'one']) await client.send(origin.url, { accountId })

  assert.equal(origin.connections, 2)
})

for (const [method, requests] of [
  ['GET', 'sent once more'],
  ['POST', 'not sent again'],
] as const) {
  test(`a ${method} on a pooled connection that is closed before the response is ${requests}`, async (t) => {
    const origin = await startRawOrigin(t, (socket, nth) =>
      nth === 1 ? answerSmall(socket) : socket.resetAndDestroy(),
    )
    const client = openClient(t, here)
    await client.send(origin.url)

    const again = client.send(origin.url, { method, body: undefined })

    if (method === 'GET') assert.equal((await again).statusCode, 200)
    else assert.equal((await problemOf(again)).problem, 'unreachable')
    assert.equal(origin.connections, method === 'GET' ? 2 : 1)
  })
}

test('a request is not retried if its new connection is closed before the response', async (t) => {
  const origin = await startRawOrigin(t, (socket) => socket.resetAndDestroy())
  const client = openClient(t, here)

  await problemOf(client.send(origin.url))

  assert.equal(origin.connections, 1)
})

const large = Buffer.alloc(300_000, 'x')

for (const { name, answer, body } of [
  { name: 'a body of known length', answer: [`content-length: ${large.length}\r\n\r\n`, large] },
  { name: 'a body that ends with the connection', answer: ['connection: close\r\n\r\n', large] },
  {
    name: 'a body in chunks',
    answer: ['transfer-encoding: chunked\r\n\r\n', ...chunked(large, 700), '0\r\n\r\n'],
  },
  { name: 'no body', answer: ['content-length: 0\r\n\r\n'], body: Buffer.alloc(0) },
] as { name: string; answer: (string | Buffer)[]; body?: Buffer }[]) {
  test(`the client counts the same bytes as the server: ${name}`, async (t) => {
    const origin = await startRawOrigin(t, (socket, nth) => {
      for (const part of ['HTTP/1.1 200 OK\r\nx-a: b\r\n', ...answer]) socket.write(part)
      if (answer[0]?.includes('close') || nth === 2) socket.end()
    })
    const client = openClient(t, here)
    const sent = { method: 'POST', headers: { 'x-long': 'y'.repeat(500) }, body: large } as const

    const first = await client.send(origin.url, sent)
    const second = await client.send(origin.url, sent)

    assert.ok(large.equals(first.body) || body?.equals(first.body))
    assert.deepEqual(
      {
        read: first.bytes.sent + second.bytes.sent,
        written: first.bytes.received + second.bytes.received,
      },
      origin.bytes,
    )
  })
}

test('a body that may be cut off ends at its limit of bytes', async (t) => {
  const origin = await startRawOrigin(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n${'x'.repeat(5000)}`)
  })
  const client = openClient(t, here)

  const answer = await client.send(origin.url, { limits: { bodyBytesMax: 1024, isBodyCut: true } })

  assert.equal(answer.statusCode, 200)
  assert.equal(answer.body.length, 1024)
})

for (const [name, limits] of [
  ['of time', { bodyMs: 200 }],
  ['between two pieces', { idleMs: 200 }],
] as const) {
  test(`a body that may be cut off ends at its limit ${name}`, async (t) => {
    const origin = await startRawOrigin(t, (socket) => {
      socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\nbegun')
    })
    const client = openClient(t, here)

    const answer = await client.send(origin.url, { limits: { ...limits, isBodyCut: true } })

    assert.equal(answer.statusCode, 202)
    assert.equal(Buffer.from(answer.body).toString(), 'begun')
  })
}

test('a connection whose response was not read to the end is closed', async (t) => {
  const closed = Promise.withResolvers<void>()
  const origin = await startRawOrigin(t, (socket) => {
    socket.on('close', () => closed.resolve())
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n${'x'.repeat(5000)}`)
  })
  const client = openClient(t, here)

  const error = await problemOf(client.send(origin.url, { limits: { bodyBytesMax: 1024 } }))
  await closed.promise

  assert.equal(error.problem, 'too_large')
})

const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
const unsolicited = 'HTTP/1.1 100 Continue\r\n\r\n'

for (const [name, informational] of [
  ['early hints', hints],
  ['an unsolicited 100 Continue', unsolicited],
  ['100 Continue without a reason', 'HTTP/1.1 100\r\n\r\n'],
  ['100 Continue with headers', 'HTTP/1.1 100 Continue\r\nserver: x\r\ndate: now\r\n\r\n'],
  ['100 Continue ten times', unsolicited.repeat(10)],
  ['100 Continue between early hints', hints + unsolicited + hints + unsolicited],
] as const) {
  for (const body of [undefined, Buffer.from('{}')]) {
    const method = body ? 'POST' : 'GET'
    test(`${name} before the response to a ${method} is skipped`, async (t) => {
      const origin = await startRawOrigin(t, (socket) => socket.write(informational + small))
      const client = openClient(t, here)

      for (let nth = 0; nth < 3; nth++) {
        const answer = await client.send(origin.url, { method, body })

        assert.equal(answer.statusCode, 200)
        assert.deepEqual(answer.headers, [['content-length', '5']])
        assert.equal(Buffer.from(answer.body).toString(), 'hello')
      }
      assert.equal(origin.connections, 1)
    })
  }
}

test('an unsolicited 100 Continue that arrives byte by byte is skipped', async (t) => {
  const origin = await startRawOrigin(t, (socket) => {
    socket.setNoDelay(true)
    void writeBytewise(socket, unsolicited + small)
  })
  const client = openClient(t, here)

  const answer = await client.send(origin.url)

  assert.equal(Buffer.from(answer.body).toString(), 'hello')
})

async function writeBytewise(socket: Socket, text: string): Promise<void> {
  for (const byte of text) {
    socket.write(byte)
    await nextTurn()
  }
}

test('a body that looks like 100 Continue is not changed', async (t) => {
  const body = unsolicited.repeat(400)
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`
  const origin = await startRawOrigin(t, (socket) => socket.write(unsolicited + head + body))
  const client = openClient(t, here)

  const answer = await client.send(origin.url)

  assert.equal(Buffer.from(answer.body).toString(), body)
})

test('the connection pool keeps idle connections for a limited number of origins', async (t) => {
  const names = Array.from({ length: 540 }, (_, index) => `n${index}.example.com`)
  const dns = await startTestDns(
    t,
    Object.fromEntries(names.map((name) => [name, { addresses: ['127.0.0.1'] }])),
  )
  const origin = await startRawOrigin(t, answerSmall)
  const client = openClient(t, here, { dns })

  for (const name of names) await client.send(`http://${name}:${origin.port}/`)

  assert.equal(origin.connections, names.length)
  await until(async () => origin.openConnections <= 512)
})

test('closing the client ends active requests', async (t) => {
  const asked = Promise.withResolvers<void>()
  const origin = await startRawOrigin(t, () => asked.resolve())
  const client = openClient(t, here)
  const exchanges = Array.from({ length: 100 }, () => problemOf(client.send(origin.url)))
  await asked.promise

  await client.close()

  for (const { problem } of await Promise.all(exchanges)) assert.equal(problem, 'aborted')
  assert.equal((await problemOf(client.send(origin.url))).problem, 'aborted')
  await until(async () => origin.openConnections === 0)
})

async function startEcho(t: TestContext) {
  const requests: { line: string; headers: Record<string, unknown>; body: string }[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
    response.end()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, requests }
}

function chunked(body: Buffer, bytes: number): (string | Buffer)[] {
  const parts: (string | Buffer)[] = []
  for (let at = 0; at < body.length; at += bytes) {
    const piece = body.subarray(at, at + bytes)
    parts.push(`${piece.length.toString(16)}\r\n`, piece, '\r\n')
  }
  return parts
}
