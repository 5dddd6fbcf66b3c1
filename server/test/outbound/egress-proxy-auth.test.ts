/** Proxy authentication of the exit: every process on the machine finds its port, one browser may use it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { proxyAuthorization } from '../../src/outbound/upstream-proxy/http-proxy-protocol.ts'
import { parseResponse } from '../support/raw-http.ts'
import { until } from '../support/until.ts'
import { ask, connectTo, openTestExit, openTunnel, say } from './open-exit.ts'
import { startRawOrigin } from './raw-origin.ts'

const hello = (socket: Socket) =>
  void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')

test('a request without the proxy credentials gets 407 and reaches no target', async (t) => {
  const origin = await startRawOrigin(t, hello)
  const exit = await openTestExit(t)
  const other = await openTestExit(t)
  const host = `127.0.0.1:${origin.port}`
  const right = proxyAuthorization(exit.credentials)
  const wrong = [
    undefined,
    '',
    'Basic',
    `Basic ${btoa('page:')}`,
    `Basic ${btoa(exit.credentials.password)}`,
    right.slice(0, -1),
    `${right} `.padEnd(60, 'x'),
    right.replace('Basic', 'Bearer'),
    proxyAuthorization(other.credentials),
  ]

  for (const value of wrong) {
    const header = value === undefined ? '' : `Proxy-Authorization: ${value}\r\n`
    for (const line of [
      `GET http://${host}/`,
      `POST http://${host}/`,
      `CONNECT ${host}`,
      'GET /',
    ]) {
      const head = `${line} HTTP/1.1\r\nHost: ${host}\r\n${header}\r\n`
      const { status, body } = parseResponse(await say(t, { port: exit.port }, head))
      assert.deepEqual([status, body], [407, ''], head)
    }
  }

  assert.equal(origin.connections, 0)
  assert.deepEqual(exit.bytes, { received: 0, sent: 0 })
  assert.equal(exit.problemOf('127.0.0.1', origin.port), undefined)
  assert.equal((await ask(exit, origin.url)).body.toString(), 'hello')
})

test('the challenge of the egress proxy names a realm and nothing of the credentials', async (t) => {
  const exit = await openTestExit(t)

  const text = await say(t, { port: exit.port }, 'CONNECT a.example.com:443 HTTP/1.1\r\n\r\n')

  assert.equal(
    text,
    'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="trawl"\r\n' +
      'Content-Length: 0\r\nConnection: close\r\n\r\n',
  )
})

test('every egress proxy has its own credentials', async (t) => {
  const exits = await Promise.all(Array.from({ length: 20 }, () => openTestExit(t)))
  const passwords = new Set(exits.map(({ credentials }) => credentials.password))

  assert.equal(passwords.size, 20)
  for (const password of passwords) assert.match(password, /^[\w-]{22}$/)
})

test('the proxy credentials are not sent to targets, which cannot echo them', async (t) => {
  let heard = ''
  const origin = await startRawOrigin(t, (socket, _, request) => {
    heard += request
    hello(socket)
  })
  const exit = await openTestExit(t)

  const answer = await ask(exit, origin.url, { headers: { connection: 'proxy-authorization' } })

  assert.equal(answer.status, 200)
  assert.match(heard, /^GET \/ HTTP/)
  assert.doesNotMatch(heard, /proxy|Basic/i)
})

test("the challenge of a target's own 407 gets another realm", async (t) => {
  const origin = await startRawOrigin(t, (socket) =>
    socket.write(
      'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="trawl"\r\nContent-Length: 2\r\n\r\nno',
    ),
  )
  const exit = await openTestExit(t)

  const { status, headers, body } = await ask(exit, origin.url)

  assert.deepEqual([status, body.toString()], [407, 'no'])
  const at = headers.findIndex((name) => /^proxy-authenticate$/i.test(name))
  assert.equal(headers[at + 1], 'Basic realm="target"')
  assert.equal(headers.filter((name) => /^proxy-/i.test(name)).length, 1)
})

test('connections without credentials do not use up the socket limit of the browser', async (t) => {
  const origin = await startRawOrigin(t, hello)
  const exit = await openTestExit(t, { limits: { socketsMax: 4 } })
  const tunnel = await openTunnel(t, exit, `127.0.0.1:${origin.port}`)
  const foreign: Socket[] = []
  t.after(() => {
    for (const socket of foreign) socket.destroy()
  })
  for (let count = 0; count < 1_000; count += 1) {
    const socket = connect(exit.port, '127.0.0.1')
    socket.on('error', () => {})
    foreign.push(socket)
    await once(socket, 'connect')
  }

  const answers = await Promise.all([1, 2, 3].map(() => ask(exit, origin.url)))

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.equal(tunnel.socket.destroyed, false)
  const openForeign = () => foreign.filter((socket) => !socket.closed && !socket.readableEnded)
  for (const socket of foreign) socket.resume()
  await until(() => openForeign().length <= 128)
})

test('the browser gets responses while others keep connecting', async (t) => {
  const origin = await startRawOrigin(t, hello)
  const exit = await openTestExit(t)
  let isOver = false
  let attempts = 0
  const flood = async () => {
    for (; !isOver; attempts += 1) {
      const socket = connect(exit.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.end('GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
      socket.resume()
      await once(socket, 'close').catch(() => undefined)
    }
  }
  const flooding = Array.from({ length: 50 }, flood)
  await until(() => attempts > 200)

  for (let count = 0; count < 10; count += 1) {
    const [answer, tunnel] = await Promise.all([
      ask(exit, origin.url),
      openTunnel(t, exit, `127.0.0.1:${origin.port}`),
    ])
    assert.deepEqual([answer.status, tunnel.status], [200, 200])
  }

  isOver = true
  await Promise.all(flooding)
})

test('an egress proxy that can reach another one cannot use it', async (t) => {
  const origin = await startRawOrigin(t, hello)
  const [one, other] = [await openTestExit(t), await openTestExit(t)]
  const host = `127.0.0.1:${origin.port}`
  const own = `Proxy-Authorization: ${proxyAuthorization(one.credentials)}\r\n`
  const heads = [`GET http://${host}/`, `CONNECT ${host}`].flatMap((line) => [
    `${line} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `${line} HTTP/1.1\r\nHost: ${host}\r\n${own}\r\n`,
  ])

  for (const head of heads) {
    const tunnel = await openTunnel(t, one, `127.0.0.1:${other.port}`)
    // In pieces, or the helper of the test would add its own credentials.
    tunnel.socket.write(head.slice(0, 3))
    tunnel.socket.write(head.slice(3))
    await tunnel.untilRead('HTTP/1.1 407 ')
  }
  const plain = await ask(one, `http://127.0.0.1:${other.port}/`)

  assert.equal(plain.status, 407)
  assert.equal(origin.connections, 0)
})

test('a connection stays open while every request has the proxy credentials', async (t) => {
  const origin = await startRawOrigin(t, hello)
  const exit = await openTestExit(t)
  const head = `GET ${origin.url} HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\n\r\n`
  const client = await connectTo(t, { port: exit.port })
  const header = `Proxy-Authorization: ${proxyAuthorization(exit.credentials)}\r\n\r\n`

  client.socket.write(head.replace(/\r\n$/, header))
  await client.untilRead('hello')
  client.socket.write(head)

  assert.match(await client.closed, /hello.*407/s)
  assert.equal(origin.connections, 1)
})
