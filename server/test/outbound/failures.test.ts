import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import type { ExchangeLimits } from '../../src/outbound/client/http-client.ts'
import type { OutboundProblem } from '../../src/outbound/outbound-error.ts'
import { startTestDns } from '../support/test-dns.ts'
import { allowing, openClient, problemOf } from './outbound-client.ts'
import { startRawOrigin } from './raw-origin.ts'

const here = allowing('127.0.0.0/8')
const pem = readFileSync(new URL('./test-certificate.pem', import.meta.url), 'utf8')

interface BadAnswer {
  name: string
  answer: (socket: Socket) => void
  problem: OutboundProblem
  limits?: Partial<ExchangeLimits>
}

const saying = (text: string) => (socket: Socket) => void socket.end(text, 'latin1')

const head = 'HTTP/1.1 200 OK\r\n'

const badAnswers: BadAnswer[] = [
  { name: 'garbage', answer: saying('\x16\x03\x01 what is this\r\n\r\n'), problem: 'bad_response' },
  { name: 'another protocol', answer: saying('SSH-2.0-OpenSSH_9\r\n'), problem: 'bad_response' },
  { name: 'HTTP/0.9', answer: saying('<html>hello</html>'), problem: 'bad_response' },
  { name: 'no status', answer: saying('HTTP/1.1\r\n\r\n'), problem: 'bad_response' },
  { name: 'half a status line', answer: saying('HTTP/1.'), problem: 'bad_response' },
  {
    name: 'a status that does not exist',
    answer: saying('HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n'),
    problem: 'bad_response',
  },
  {
    name: 'headers without an end',
    answer: saying(`${head}content-type: text/html\r\n`),
    problem: 'bad_response',
  },
  {
    name: 'a header without a name',
    answer: saying(`${head}: x\r\n\r\n`),
    problem: 'bad_response',
  },
  {
    name: 'a body cut short',
    answer: saying(`${head}content-length: 100\r\n\r\nshort`),
    problem: 'bad_response',
  },
  {
    name: 'a body cut short on a connection that closes',
    answer: saying(`${head}connection: close\r\ncontent-length: 100\r\n\r\nshort`),
    problem: 'bad_response',
  },
  {
    name: 'a body reset in the middle',
    answer: (socket) =>
      socket.write(`${head}content-length: 100\r\n\r\nshort`, () => socket.resetAndDestroy()),
    problem: 'bad_response',
  },
  {
    name: 'a chunk with a bad size',
    answer: saying(`${head}transfer-encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n`),
    problem: 'bad_response',
  },
  {
    name: 'a chunk longer than it says',
    answer: saying(`${head}transfer-encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n`),
    problem: 'bad_response',
  },
  {
    name: 'chunks without an end',
    answer: saying(`${head}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`),
    problem: 'bad_response',
  },
  {
    name: 'two lengths',
    answer: saying(`${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`),
    problem: 'bad_response',
  },
  {
    name: 'a negative length',
    answer: saying(`${head}content-length: -5\r\n\r\nhello`),
    problem: 'bad_response',
  },
  {
    name: 'a length and chunks',
    answer: saying(
      `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    ),
    problem: 'bad_response',
  },
  {
    name: 'one header of a megabyte',
    answer: saying(`${head}x-large: ${'x'.repeat(1_000_000)}\r\n\r\n`),
    problem: 'bad_response',
  },
  {
    name: 'ten thousand headers',
    answer: saying(`${head}${'a: b\r\n'.repeat(10_000)}content-length: 0\r\n\r\n`),
    problem: 'bad_response',
  },
  {
    name: 'headers without an end, as fast as they are read',
    answer: (socket) => pour(socket, head, Buffer.from('a:b\r\n'.repeat(20_000))),
    problem: 'bad_response',
  },
  {
    name: '100 Continue and then the end',
    answer: saying('HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)),
    problem: 'bad_response',
  },
  {
    name: 'a storm of 100 Continue',
    answer: saying('HTTP/1.1 100 Continue\r\n\r\n'.repeat(10_000)),
    problem: 'bad_response',
  },
  {
    name: '100 Continue with headers that are too large',
    answer: saying(`HTTP/1.1 100 Continue\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
    problem: 'bad_response',
  },
  {
    name: '100 Continue with headers without an end',
    answer: (socket) => pour(socket, 'HTTP/1.1 100 C\r\n', Buffer.from('a:b\r\n'.repeat(20_000))),
    problem: 'bad_response',
  },
  {
    name: 'a storm of early hints',
    answer: saying('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(5000)),
    problem: 'bad_response',
  },
  {
    name: 'another protocol that nobody asked for',
    answer: saying('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    problem: 'bad_response',
  },
  { name: 'nothing, then the end', answer: (socket) => socket.end(), problem: 'unreachable' },
  { name: 'a reset', answer: (socket) => socket.resetAndDestroy(), problem: 'unreachable' },
  { name: 'nothing at all', answer: () => {}, problem: 'timeout', limits: { headersMs: 200 } },
  {
    name: 'headers byte by byte',
    answer: (socket) => drip(socket, `${head}x-slow: ${'x'.repeat(10_000)}`),
    problem: 'timeout',
    limits: { headersMs: 300 },
  },
  {
    name: 'a body that stops coming',
    answer: (socket) => socket.write(`${head}content-length: 100\r\n\r\nhello`),
    problem: 'timeout',
    limits: { idleMs: 200 },
  },
  {
    name: 'a body that comes for too long',
    answer: (socket) =>
      drip(socket, `${head}content-length: 10000\r\n\r\n${'x'.repeat(9000)}`, 200),
    problem: 'timeout',
    limits: { bodyMs: 300 },
  },
  {
    name: 'a body without an end',
    answer: (socket) => pour(socket, `${head}\r\n`, Buffer.alloc(65_536)),
    problem: 'too_large',
  },
  {
    name: 'a length beyond the limit',
    answer: (socket) => socket.write(`${head}content-length: 2000000\r\n\r\n`),
    problem: 'too_large',
  },
  {
    name: 'a small body in a large frame',
    answer: (socket) =>
      pour(
        socket,
        `${head}transfer-encoding: chunked\r\n\r\n`,
        Buffer.from('1\r\nx\r\n'.repeat(9000)),
      ),
    problem: 'too_large',
    limits: { bodyBytesMax: 100_000 },
  },
]

test('a body in chunks of one byte is refused long before it reaches the size limit', async (t) => {
  const origin = await startRawOrigin(t, (socket) =>
    pour(
      socket,
      `${head}transfer-encoding: chunked\r\n\r\n`,
      Buffer.from('1\r\nx\r\n'.repeat(9000)),
    ),
  )
  const client = openClient(t, here)

  const { problem } = await problemOf(
    client.send(origin.url, { limits: { bodyBytesMax: 20 * 2 ** 20 } }),
  )

  assert.equal(problem, 'too_large')
  assert.ok(origin.bytes.written < 8 * 2 ** 20, `${origin.bytes.written} bytes were taken.`)
})

for (const { name, answer, problem, limits } of badAnswers) {
  test(`a response with ${name} is the problem "${problem}"`, async (t) => {
    const origin = await startRawOrigin(t, answer)
    const client = openClient(t, here)

    const error = await problemOf(client.send(origin.url, { ...(limits && { limits }) }))

    assert.equal(error.problem, problem, String(error.cause))
    assertSaysNothing(error.message, origin.port)
  })
}

test('a refused connection and one that is closed at once give the same error', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  await new Promise((resolve) => taken.close(resolve))
  const cutting = await startRawOrigin(
    t,
    () => {},
    (socket) => socket.resetAndDestroy(),
  )
  const client = openClient(t, here)

  const refused = await problemOf(client.send(`http://127.0.0.1:${port}/`))
  const cut = await problemOf(client.send(cutting.url))

  assert.equal(refused.problem, 'unreachable')
  assert.equal(cut.problem, 'unreachable')
  assert.equal(refused.message, cut.message)
  assertSaysNothing(refused.message, port)
})

test('the next address of a name is tried when one refuses the connection', async (t) => {
  const origin = await startRawOrigin(t, saying(`${head}content-length: 2\r\n\r\nok`))
  const dns = await startTestDns(t, {
    'two.example.com': { addresses: ['127.7.7.7', '127.6.6.6', '127.0.0.1'] },
  })
  const client = openClient(t, here, { dns })

  const answer = await client.send(`http://two.example.com:${origin.port}/`)

  assert.equal(answer.statusCode, 200)
})

for (const [behaviour, problem] of [
  ['SERVFAIL', 'dns_silent'],
  ['NXDOMAIN', 'dns'],
  ['silence', 'dns_silent'],
] as const) {
  test(`a name for which DNS gives ${behaviour} is the problem "${problem}"`, async (t) => {
    const dns = await startTestDns(t, { 'broken.example.com': behaviour })
    const client = openClient(t, here, { dns })

    const error = await problemOf(
      client.send('http://broken.example.com/', { limits: { dnsMs: 300 } }),
    )

    assert.equal(error.problem, problem)
    assertSaysNothing(error.message, 80)
  })
}

test('a request that is aborted while connecting or waiting is the problem "aborted"', async (t) => {
  const origin = await startRawOrigin(t, () => waiting.abort())
  const dns = await startTestDns(t, {
    'silent.example.com': () => {
      resolving.abort()
      return 'silence'
    },
  })
  const waiting = new AbortController()
  const resolving = new AbortController()
  const client = openClient(t, here, { dns })

  const whileWaiting = await problemOf(client.send(origin.url, { signal: waiting.signal }))
  const whileResolving = await problemOf(
    client.send('http://silent.example.com/', { signal: resolving.signal }),
  )
  const atOnce = await problemOf(client.send(origin.url, { signal: AbortSignal.abort() }))

  for (const { problem } of [whileWaiting, whileResolving, atOnce]) assert.equal(problem, 'aborted')
})

async function startTls(t: TestContext, options: TlsOptions, host = '127.0.0.1'): Promise<number> {
  const server = createTlsServer(options, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(`${head}content-length: 2\r\n\r\nok`))
  }).listen(0, host)
  server.on('tlsClientError', () => {})
  t.after(() => server.close())
  await once(server, 'listening')
  return (server.address() as { port: number }).port
}

test('a certificate must come from a trusted authority and match the name in the URL', async (t) => {
  const port = await startTls(t, { key: pem, cert: pem })
  const otherPort = await startTls(t, { key: pem, cert: pem }, '127.0.0.2')
  const addresses = { addresses: ['127.0.0.1'] }
  const dns = await startTestDns(t, {
    'secure.example.com': addresses,
    'other.example.com': addresses,
  })
  const strict = openClient(t, here, { dns })
  const trusting = openClient(t, here, { dns, trustedAuthorities: [pem] })

  const selfSigned = await problemOf(strict.send(`https://secure.example.com:${port}/`))
  const wrongName = await problemOf(trusting.send(`https://other.example.com:${port}/`))
  const rightName = await trusting.send(`https://secure.example.com:${port}/`)
  const completeName = await trusting.send(`https://secure.example.com.:${port}/`)
  const rightAddress = await trusting.send(`https://127.0.0.1:${port}/`)
  const wrongAddress = await problemOf(trusting.send(`https://127.0.0.2:${otherPort}/`))

  assert.equal(selfSigned.problem, 'tls')
  assert.equal(wrongName.problem, 'tls')
  assert.equal(rightName.statusCode, 200)
  assert.equal(completeName.statusCode, 200)
  assert.equal(rightAddress.statusCode, 200)
  assert.equal(wrongAddress.problem, 'tls')
  assert.ok(rightName.timings.tlsMs > 0)
})

for (const [name, options] of [
  ['old TLS', { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }],
  ['HTTP/2 alone', { ALPNProtocols: ['h2'] }],
] as const) {
  test(`a server that speaks ${name} is the problem "tls"`, async (t) => {
    const port = await startTls(t, { key: pem, cert: pem, ...options } as TlsOptions)
    const client = openClient(t, here, { trustedAuthorities: [pem] })

    const { problem } = await problemOf(client.send(`https://127.0.0.1:${port}/`))

    assert.equal(problem, 'tls')
  })
}

test('a server without TLS is the problem "tls", a handshake that never ends is "timeout"', async (t) => {
  const plain = await startRawOrigin(t, () => {}, saying('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const mute = await startRawOrigin(t, () => {})
  const client = openClient(t, here)

  const notTls = await problemOf(client.send(`https://127.0.0.1:${plain.port}/`))
  const noAnswer = await problemOf(
    client.send(`https://127.0.0.1:${mute.port}/`, { limits: { tlsMs: 200 } }),
  )

  assert.equal(notTls.problem, 'tls')
  assert.equal(noAnswer.problem, 'timeout')
})

function assertSaysNothing(message: string, port: number): void {
  assert.doesNotMatch(message, /\d/)
  assert.doesNotMatch(message, new RegExp(`refused|reset|closed|port|${port}`, 'i'))
}

/** One byte at a time after the first `atOnce`, until nobody reads any more. */
function drip(socket: Socket, text: string, atOnce = 1): void {
  socket.write(text.slice(0, atOnce))
  let at = atOnce
  const timer = setInterval(() => socket.write(text.charAt(at++)), 20)
  socket.on('close', () => clearInterval(timer))
}

/** The same again and again, until nobody reads any more. */
function pour(socket: Socket, first: string, again: Buffer): void {
  const write = () => {
    while (!socket.destroyed && socket.write(again));
  }
  socket.write(first)
  socket.on('drain', write)
  write()
}
