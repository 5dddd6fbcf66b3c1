import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { ProxyAgent, request } from 'undici'
import { createResolver } from '../../src/outbound/resolver.ts'
import { proxyAuthorization } from '../../src/outbound/upstream-proxy/http-proxy-protocol.ts'
import { parseResponse } from '../support/raw-http.ts'
import { startTestDns } from '../support/test-dns.ts'
import { until } from '../support/until.ts'
import { connectTo, openTestExit, openTunnel, say } from './open-exit.ts'
import { closed } from './outbound-client.ts'
import { pour, untilStill } from './pouring.ts'
import { startRawOrigin } from './raw-origin.ts'

const pem = readFileSync(new URL('./test-certificate.pem', import.meta.url), 'utf8')

/** A server whose sockets may be half open, for which a test says what they do. */
async function startPeer(t: TestContext, onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    t.after(() => socket.destroy())
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as { port: number }).port
}

test('an https connection through a tunnel has the certificate of the target itself', async (t) => {
  const server = createTlsServer({ key: pem, cert: pem }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const dns = await startTestDns(t, { 'secure.example.com': { addresses: ['127.0.0.1'] } })
  const exit = await openTestExit(t, { dns })
  const dispatcher = new ProxyAgent({
    uri: `http://127.0.0.1:${exit.port}`,
    token: proxyAuthorization(exit.credentials),
    requestTls: { ca: pem },
  })
  t.after(() => dispatcher.destroy())

  const answer = await request(`https://secure.example.com:${port}/`, { dispatcher })

  assert.equal(await answer.body.text(), 'secret')
  assert.equal(exit.problemOf('secure.example.com', port), undefined)
})

test('a WebSocket through a tunnel carries messages in both directions', async (t) => {
  const port = await startPeer(t, (socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n')
      socket.on('data', (frame) => socket.write(frame.toString('latin1').toUpperCase(), 'latin1'))
    })
  })
  const exit = await openTestExit(t)

  const tunnel = await openTunnel(t, exit, `127.0.0.1:${port}`)
  assert.equal(tunnel.status, 200)
  tunnel.socket.write('GET /socket HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
  await tunnel.untilRead('101 Switching')
  tunnel.socket.write('\x81hello')

  await tunnel.untilRead('\x81HELLO')
})

test('bytes sent before the tunnel is open are not lost', async (t) => {
  const port = await startPeer(t, (socket) => socket.pipe(socket))
  const exit = await openTestExit(t)
  const client = await connectTo(t, exit)

  client.socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: a\r\n\r\nearly `)
  client.socket.write('and late')

  await client.untilRead('early and late')
})

test('a side of a tunnel that has ended its stream still receives (half-close)', async (t) => {
  const heard = Promise.withResolvers<string>()
  const port = await startPeer(t, (socket) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => {
      if (text === 'question') socket.end('answer')
      else heard.resolve(text)
    })
    // The second one says goodbye at once and listens.
    socket.once('data', (chunk) => {
      if (String(chunk) !== 'question') socket.end('goodbye')
    })
  })
  const exit = await openTestExit(t)

  const asking = await openTunnel(t, exit, `127.0.0.1:${port}`)
  asking.socket.end('question')
  await asking.closed
  assert.equal(asking.text, 'answer')

  const telling = await openTunnel(t, exit, `127.0.0.1:${port}`)
  telling.socket.write('first ')
  await telling.closed
  assert.equal(telling.text, 'goodbye')
  telling.socket.end('second')
  assert.equal(await heard.promise, 'first second')
})

test('when one side of a tunnel is reset the other is closed', async (t) => {
  const closings = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let count = 0
  const port = await startPeer(t, (socket) => {
    const closing = closings[count++]
    socket.on('data', (chunk) => {
      if (String(chunk) === 'break') socket.resetAndDestroy()
    })
    socket.on('end', () => closing?.resolve())
    socket.on('close', () => closing?.resolve())
  })
  const exit = await openTestExit(t)
  const broken = await openTunnel(t, exit, `127.0.0.1:${port}`)
  const breaking = await openTunnel(t, exit, `127.0.0.1:${port}`)

  broken.socket.write('break')
  await broken.closed
  breaking.socket.resetAndDestroy()

  await Promise.all(closings.map(({ promise }) => promise))
})

test('a tunnel does not read from the target while the browser does not read (backpressure)', async (t) => {
  const port = await startPeer(t, pour)
  const exit = await openTestExit(t)
  const tunnel = await openTunnel(t, exit, `127.0.0.1:${port}`)

  tunnel.socket.pause()
  const stoppedAt = await untilStill(() => exit.bytes.received)
  assert.ok(stoppedAt < 24 * 2 ** 20, `${stoppedAt} bytes were read`)
  tunnel.socket.resume()

  await until(() => exit.bytes.received > stoppedAt + 2 ** 20)
})

test('a tunnel does not read from the browser while the target does not read (backpressure)', async (t) => {
  const port = await startPeer(t, (socket) => socket.pause())
  const exit = await openTestExit(t)
  const tunnel = await openTunnel(t, exit, `127.0.0.1:${port}`)

  pour(tunnel.socket)
  const stoppedAt = await untilStill(() => exit.bytes.sent)

  assert.ok(stoppedAt < 24 * 2 ** 20, `${stoppedAt} bytes were sent`)
})

for (const [what, authority] of [
  ['no port', 'example.com'],
  ['an empty port', 'example.com:'],
  ['port 0', 'example.com:0'],
  ['a port that does not exist', 'example.com:65536'],
  ['a user', 'me@example.com:443'],
  ['a whole URL', 'https://example.com:443/'],
  ['escapes', '%65xample.com:443'],
  ['a broken address', '[::1:443'],
  ['no host', ':443'],
] as const) {
  test(`a CONNECT with ${what} gets 400`, async (t) => {
    const exit = await openTestExit(t)

    const answer = parseResponse(
      await say(t, exit, `CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n`),
    )

    assert.equal(answer.status, 400)
    assert.equal(answer.body, '')
  })
}

test('a CONNECT to a forbidden target gets 403 without a body, and the problem is recorded', async (t) => {
  const origin = await startRawOrigin(t, () => {})
  const dns = await startTestDns(t, { 'inside.example.com': { addresses: ['127.0.0.1'] } })
  const exit = await openTestExit(t, { rules: closed, dns })

  const byAddress = await openTunnel(t, exit, `127.0.0.1:${origin.port}`)
  const byName = await openTunnel(t, exit, `inside.example.com:${origin.port}`)

  for (const tunnel of [byAddress, byName]) {
    assert.equal(tunnel.status, 403)
    await tunnel.closed
    assert.equal(tunnel.text, '')
  }
  assert.equal(exit.problemOf('127.0.0.1', origin.port), 'not_allowed')
  assert.equal(exit.problemOf('inside.example.com', origin.port), 'not_allowed')
  assert.equal(exit.problemOf('127.0.0.1', 1), undefined)
  assert.equal(origin.connections, 0)
})

test('a CONNECT to an unreachable target gets 502 without a body, and the problem is recorded', async (t) => {
  const port = await startPeer(t, () => {})
  const dns = await startTestDns(t, {
    'gone.example.com': 'NXDOMAIN',
    'mute.example.com': 'silence',
    'closed.example.com': { addresses: ['127.9.9.9'] },
  })
  const exit = await openTestExit(t, { dns, limits: { dnsMs: 200 } })
  const expected = { gone: 'dns', mute: 'dns_silent', closed: 'unreachable' } as const

  for (const [name, problem] of Object.entries(expected)) {
    const host = `${name}.example.com`
    const tunnel = await openTunnel(t, exit, `${host}:${port}`)
    await tunnel.closed

    assert.deepEqual([tunnel.status, tunnel.text], [502, ''], name)
    assert.equal(exit.problemOf(host, port), problem)
  }
})

test('closing an egress proxy closes its listener and all tunnels, those being opened too', async (t) => {
  const peerClosed = Promise.withResolvers<void>()
  const port = await startPeer(t, (socket) => {
    socket.on('end', () => peerClosed.resolve())
    socket.resume()
  })
  const dns = await startTestDns(t, { 'mute.example.com': 'silence' })
  const exit = await openTestExit(t, { dns })
  const tunnel = await openTunnel(t, exit, `127.0.0.1:${port}`)
  const waiting = await connectTo(t, exit)
  waiting.socket.write('CONNECT mute.example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(() => dns.asked('mute.example.com', 'A') > 0)
  const idle = await connectTo(t, exit)
  tunnel.socket.write('hello')
  await until(() => exit.bytes.sent === 5)

  const givenUp = createResolver({ servers: [dns.address] }).lookUp('mute.example.com').completed
  await exit[Symbol.asyncDispose]()
  const all = Promise.all([tunnel.closed, waiting.closed, idle.closed, peerClosed.promise])

  const first = await Promise.race([all.then(() => 'closed'), givenUp.then(() => 'given up')])
  assert.equal(first, 'closed')
  await assert.rejects(connectTo(t, exit), { code: 'ECONNREFUSED' })
  assert.deepEqual(exit.bytes, { received: 0, sent: 5 })
  assert.equal(exit.problemOf('mute.example.com', 443), undefined)
  await exit[Symbol.asyncDispose]()
})
