import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect as startTls, TLSSocket } from 'node:tls'
import type { EgressProxy } from '../../src/outbound/egress-proxy/egress-proxy.ts'
import { forbiddenNames, forbiddenUrls, loopback } from '../support/forbidden-addresses.ts'
import { parseResponse } from '../support/raw-http.ts'
import { startTestDns } from '../support/test-dns.ts'
import { until } from '../support/until.ts'
import { listenOn } from './listeners.ts'
import { ask, connectTo, openTestExit, openTunnel, say } from './open-exit.ts'
import { allowing, closed } from './outbound-client.ts'
import { pour } from './pouring.ts'
import { startRawOrigin } from './raw-origin.ts'

const pem = readFileSync(new URL('./test-certificate.pem', import.meta.url), 'utf8')
const answerSmall = (socket: Socket) =>
  void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')
const plain = (port: number, host = '127.0.0.1') =>
  `GET http://${host}:${port}/ HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`

test('an egress proxy with 256 sockets opens another only after one has closed', async (t) => {
  const origin = await startRawOrigin(t, () => {})
  const exit = await openTestExit(t)
  const authority = `127.0.0.1:${origin.port}`
  const opening = Array.from({ length: 256 }, () => openTunnel(t, exit, authority))
  const tunnels = await Promise.all(opening)
  assert.ok(tunnels.every(({ status }) => status === 200))

  const tooMany = await openTunnel(t, exit, authority)
  const unanswered = await say(t, exit, plain(origin.port))
  assert.deepEqual([tooMany.status, unanswered], [403, ''])
  assert.equal(exit.problemOf('127.0.0.1', origin.port), 'too_large')
  assert.equal(origin.connections, 256)

  tunnels[0]?.socket.resetAndDestroy()
  await until(() => origin.openConnections === 255)
  assert.equal((await openTunnel(t, exit, authority)).status, 200)
})

test('an idle connection is closed when its socket is needed for another', async (t) => {
  const origin = await startRawOrigin(t, answerSmall)
  const other = await startRawOrigin(t, answerSmall)
  const exit = await openTestExit(t, { limits: { socketsMax: 1 } })

  for (const { url } of [origin, other, origin]) {
    assert.equal((await ask(exit, url)).body.toString(), 'hello')
  }

  assert.equal((await openTunnel(t, exit, `127.0.0.1:${other.port}`)).status, 200)
  assert.deepEqual([origin.connections, other.connections], [2, 2])
})

test('an egress proxy refuses further hosts after 500, and still serves those', async (t) => {
  const origin = await startRawOrigin(t, answerSmall)
  const dns = await startTestDns(t, { 'third.example.com': { addresses: ['127.0.0.1'] } })
  const exit = await openTestExit(t, { dns })
  const { port } = origin
  const others = Array.from({ length: 499 }, (_, at) => `127.1.${at >> 8}.${at & 255}:${port}`)

  assert.equal((await ask(exit, origin.url)).status, 200)
  for (const other of others) assert.equal((await openTunnel(t, exit, other)).status, 502)
  assert.equal((await openTunnel(t, exit, `third.example.com:${port}`)).status, 403)
  assert.equal(await say(t, exit, plain(port, 'third.example.com')), '')
  assert.equal((await openTunnel(t, exit, `127.0.0.1:${port}`)).status, 200)

  assert.equal(exit.problemOf('third.example.com', port), 'too_large')
  assert.equal(dns.asked('third.example.com', 'A'), 0)
})

test('an egress proxy that exceeds its byte limit closes everything and opens nothing more', async (t) => {
  const quiet = await startRawOrigin(t, () => {})
  const origin = await startRawOrigin(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    pour(socket)
  })
  const exit = await openTestExit(t, { limits: { receivedBytesMax: 2 ** 20 } })
  const tunnel = await openTunnel(t, exit, `127.0.0.1:${quiet.port}`)

  const text = await say(t, exit, plain(origin.port))
  await tunnel.closed

  assert.match(text, /^HTTP.1.1 200 OK/)
  const { received } = exit.bytes
  assert.ok(received > 2 ** 20 && received < 2 ** 20 + 2 ** 18, `${received} bytes were read`)
  for (const { port } of [quiet, origin]) {
    assert.equal(exit.problemOf('127.0.0.1', port), 'too_large')
    assert.equal((await openTunnel(t, exit, `127.0.0.1:${port}`)).status, 403)
    assert.equal(await say(t, exit, plain(port)), '')
  }
  assert.deepEqual([quiet.connections, origin.connections], [1, 1])
})

test('a new rule closes the connections that it forbids and no others', async (t) => {
  const lost = await startRawOrigin(t, (socket, _nth, request) => {
    if (!request.includes('/hang')) answerSmall(socket)
  })
  const left = await startRawOrigin(t, answerSmall)
  const dns = await startTestDns(t, { 'mute.example.com': 'silence' })
  const exit = await openTestExit(t, { dns })
  const lostTunnel = await openTunnel(t, exit, `127.0.0.1:${lost.port}`)
  const leftTunnel = await openTunnel(t, exit, `127.0.0.1:${left.port}`)
  // One kept, one under way, one being opened.
  await ask(exit, lost.url)
  const hanging = say(t, exit, plain(lost.port).replace(/(:\d+)\/ /, '$1/hang '))
  const opening = openTunnel(t, exit, `mute.example.com:${lost.port}`)
  await until(() => dns.asked('mute.example.com', 'A') > 0)

  exit.restrictTo((host, port) => host === '127.0.0.1' && port === left.port)

  assert.deepEqual([await hanging, (await opening).status], ['', 403])
  await lostTunnel.closed
  await until(() => lost.openConnections === 0)
  leftTunnel.socket.write(plain(left.port))
  await leftTunnel.untilRead('hello')
  assert.equal((await ask(exit, left.url)).status, 200)
})

test('a request that a rule forbids is refused without a DNS query and is not recorded as a problem', async (t) => {
  const origin = await startRawOrigin(t, answerSmall)
  const dns = await startTestDns(t, { 'ads.example.com': { addresses: ['127.0.0.1'] } })
  const asked: [string, number][] = []
  const exit = await openTestExit(t, {
    dns,
    isReachable: (host, port) => {
      asked.push([host, port])
      return false
    },
  })
  const { port } = origin

  const tunnel = await openTunnel(t, exit, `ADS.example.com:${port}`)
  const answer = await say(t, exit, plain(port, 'Ads.example.com'))
  const byAddress = await openTunnel(t, exit, '[::1]:443')
  const strange = await say(t, exit, plain(port).replace('Host: ', 'Host: x'))

  assert.deepEqual([tunnel.status, answer, byAddress.status, strange], [403, '', 403, ''])
  assert.deepEqual(asked, [
    ['ads.example.com', port],
    ['ads.example.com', port],
    ['[::1]', 443],
    ['127.0.0.1', port],
  ])
  assert.equal(exit.problemOf('ads.example.com', port), undefined)
  assert.equal(exit.problemOf('127.0.0.1', port), undefined)
  assert.equal(dns.asked('ads.example.com', 'A'), 0)
  assert.equal(origin.connections, 0)
})

test('a rule can be relaxed again', async (t) => {
  const origin = await startRawOrigin(t, answerSmall)
  const exit = await openTestExit(t, { isReachable: () => false })

  assert.equal(await say(t, exit, plain(origin.port)), '')
  exit.restrictTo(() => true)

  assert.equal((await ask(exit, origin.url)).status, 200)
})

test('the last of several problems with a target is reported', async (t) => {
  let answer = 'garbage\r\n\r\n'
  const origin = await startRawOrigin(t, (socket) => socket.end(answer))
  const exit = await openTestExit(t)

  await say(t, exit, plain(origin.port))
  assert.equal(exit.problemOf('127.0.0.1', origin.port), 'bad_response')
  answer = ''
  await say(t, exit, plain(origin.port))

  assert.equal(exit.problemOf('127.0.0.1', origin.port), 'unreachable')
})

test('an egress proxy counts the same bytes as the targets, TLS and closed connections included', async (t) => {
  const origin = await startRawOrigin(t, (socket, nth) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n${'x'.repeat(300_000)}`)
    if (nth === 2) socket.end()
  })
  const secure = await startRawOrigin(
    t,
    () => {},
    (socket) => {
      const secured = new TLSSocket(socket, { isServer: true, key: pem, cert: pem })
      secured.on('error', () => {})
      secured.on('data', () => secured.write('y'.repeat(100_000)))
    },
  )
  const exit = await openTestExit(t)
  const body = Buffer.alloc(200_000)

  await ask(exit, origin.url, { method: 'POST', headers: { 'content-length': body.length }, body })
  await ask(exit, origin.url)
  await ask(exit, origin.url)
  const tunnel = await openTunnel(t, exit, `127.0.0.1:${secure.port}`)
  tunnel.socket.removeAllListeners('data')
  const secured = startTls({ socket: tunnel.socket, rejectUnauthorized: false })
  let count = 0
  secured.on('data', (chunk) => {
    count += chunk.length
  })
  secured.write('z'.repeat(50_000))
  await until(() => count >= 100_000 && count % 100_000 === 0)

  await until(() => exit.bytes.received === origin.bytes.written + secure.bytes.written)
  assert.equal(exit.bytes.sent, origin.bytes.read + secure.bytes.read)
  assert.ok(secure.bytes.read > 50_000 && exit.bytes.received > 1_000_000)
})

/** Every URL by both ways in. Whatever the exit says, it says nothing that is not its own. */
async function tryEach(t: TestContext, exit: EgressProxy, urls: string[]): Promise<number[]> {
  const statuses: number[] = []
  for (const url of urls) {
    const authority = url.replace(/^\w+:\/+/, '').replace(/\/.*$/s, '')
    const head = `HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`
    const tunnel = await connectTo(t, exit)
    tunnel.socket.end(`CONNECT ${authority} ${head}`)
    statuses.push(parseResponse(await tunnel.closed).status)
    const answer = await say(t, exit, `GET ${url} ${head}`)
    statuses.push(answer === '' ? 0 : parseResponse(answer).status)
  }
  return statuses
}

test('no spelling of a forbidden address leads to a connection of the egress proxy', async (t) => {
  const names = forbiddenNames()
  const zone = Object.fromEntries(names.map(({ name, reply }) => [name, reply]))
  const dns = await startTestDns(t, zone)
  const listeners = await listenOn(t, loopback)
  const urls = [
    ...forbiddenUrls().map(({ url, reaches }) => ({ url: url(listeners.port), reaches })),
    ...names.map(({ name, reaches }) => ({ url: `http://${name}:${listeners.port}/`, reaches })),
  ]
  const limits = { hostsMax: 5_000 }
  const shut = await openTestExit(t, { rules: closed, dns, limits })
  const open = await openTestExit(t, { rules: allowing('0.0.0.0/0', '::/0'), dns, limits })

  const statuses = await tryEach(
    t,
    shut,
    urls.map(({ url }) => url),
  )

  // 0 is a connection closed without an answer.
  assert.deepEqual([...new Set(statuses)].sort(), [0, 400, 403])
  assert.ok(statuses.filter((status) => status !== 400).length > 800)
  for (const [address, count] of await listeners.counted()) assert.equal(count, 0, address)

  await tryEach(
    t,
    open,
    urls.filter(({ reaches }) => reaches !== undefined).map(({ url }) => url),
  )

  for (const [address, count] of await listeners.counted()) assert.ok(count > 20, address)
})
