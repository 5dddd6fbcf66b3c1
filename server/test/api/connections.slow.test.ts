import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { limitConnections } from '../../src/http/connections.ts'
import { defineRoute } from '../../src/http/route.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { parseResponse } from '../support/raw-http.ts'
import { createTestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'

async function openFrom(t: TestContext, localAddress: string, port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function ask(socket: Socket) {
  socket.write('GET /livez HTTP/1.1\r\nhost: trawl.test\r\n\r\n')
  const [chunk] = await once(socket, 'data')
  const { status, headers, body } = parseResponse(String(chunk))
  return { statusCode: status, headers, json: () => JSON.parse(body) }
}

test('one address gets at most half of the connections, and the total is limited', async (t) => {
  const { app } = createTestApp(t, { connectionsMax: 4 })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const from = (address: string) => openFrom(t, address, Number(port))
  const first = await from('127.0.0.1')
  const second = await from('127.0.0.1')

  assert.equal((await ask(first)).statusCode, 200)
  assert.equal((await ask(second)).statusCode, 200)
  assertFailure(await ask(await from('127.0.0.1')), 'OVERLOADED')
  assert.equal((await ask(await from('127.0.0.2'))).statusCode, 200)
  assert.equal((await ask(await from('127.0.0.3'))).statusCode, 200)
  assertFailure(await ask(await from('127.0.0.4')), 'OVERLOADED')

  first.destroy()
  await until(async () => (await ask(await from('127.0.0.1'))).statusCode === 200)
})

test('a client that pipelines too many requests gets 429, and its connection is closed', async (t) => {
  const { app } = createTestApp(t)
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const socket = await openFrom(t, '127.0.0.1', Number(port))
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })

  socket.write('GET /livez HTTP/1.1\r\nhost: trawl.test\r\n\r\n'.repeat(100))
  await once(socket, 'close')

  assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d{3}/g), [...Array(32).fill('200'), '429'])
  assert.match(text, /"code":"RATE_LIMITED"/)
  assert.match(text, /retry-after: 1\r\n/)
})

test('of two thousand requests in one write, those after the refused one are not even parsed', async (t) => {
  const { app } = createTestApp(t)
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  let parsedCount = 0
  app.server.on('request', () => {
    parsedCount += 1
  })
  const socket = await openFrom(t, '127.0.0.1', Number(port))

  socket.write('GET /livez HTTP/1.1\r\nhost: trawl.test\r\n\r\n'.repeat(2_000))
  socket.resume()
  await once(socket, 'close')

  assert.equal(parsedCount, 33)
})

test('pipelined requests of many connections are handled a few at a time, others at once', async (t) => {
  const { app } = createTestApp(t)
  let handledCount = 0
  app.addHook('onSend', async () => {
    handledCount += 1
  })
  let acceptedCount = 0
  app.server.on('connection', () => {
    acceptedCount += 1
  })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const open = () => openFrom(t, '127.0.0.1', Number(port))
  const pipelining = await Promise.all(Array.from({ length: 50 }, open))
  const other = await open()
  // Connections are accepted one in each round of the event loop.
  await until(() => acceptedCount === 51)
  const request = 'GET /livez HTTP/1.1\r\nhost: trawl.test\r\n\r\n'

  for (const socket of pipelining) socket.write(request.repeat(30))
  const { statusCode } = await ask(other)
  const handledBefore = handledCount
  await until(() => handledCount === 50 * 30 + 1)

  assert.equal(statusCode, 200)
  assert.ok(handledBefore < 300, `${handledBefore} were handled before.`)
})

test('a connection is not read while its pipelined requests wait to be handled', async (t) => {
  const { app } = createTestApp(t)
  const [connectionCount, requestCount] = [8, 20]
  let [parsedCount, handledCount, waitingMax] = [0, 0, 0]
  app.server.on('request', () => {
    parsedCount += 1
    waitingMax = Math.max(waitingMax, parsedCount - handledCount)
  })
  app.addHook('onSend', async () => {
    handledCount += 1
  })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const open = () => openFrom(t, '127.0.0.1', Number(port))
  const sockets = await Promise.all(Array.from({ length: connectionCount }, open))

  // One read brings four of them.
  const request = `GET /livez HTTP/1.1\r\nhost: trawl.test\r\nx-large: ${'a'.repeat(15_000)}\r\n\r\n`
  for (const socket of sockets) socket.resume().write(request.repeat(requestCount))
  await until(() => handledCount === connectionCount * requestCount)

  assert.ok(waitingMax <= connectionCount * 6, `${waitingMax} waited.`)
})

test('the address of a caller who reset the connection at once is empty, not missing', async (t) => {
  const addresses: string[] = []
  const look = defineRoute('service', {
    operationId: 'look',
    request: 'GET /look',
    summary: 'For tests',
    response: { status: 200, description: 'Looked.', body: z.object({}) },
    handle({ raw }) {
      addresses.push(raw.address)
      return {}
    },
  })
  const { app } = createTestApp(t, { routes: [look] })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  // Node knows none where a connection was reset before it was accepted.
  app.server.prependListener('connection', (accepted) => {
    Object.defineProperty(accepted, 'remoteAddress', { value: undefined })
  })
  const socket = await openFrom(t, '127.0.0.1', Number(port))

  socket.write('GET /look HTTP/1.1\r\nhost: trawl.test\r\n\r\n')
  await until(() => addresses.length === 1)

  assert.deepEqual(addresses, [''])
})

test('a large body of a request that is refused is not read to its end', async (t) => {
  const { app } = createTestApp(t)
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const accepted = once(app.server, 'connection')
  const socket = await openFrom(t, '127.0.0.1', Number(port))
  const [served]: Socket[] = await accepted
  const bytes = 256 * 2 ** 20
  // It is closed while it sends.
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))

  socket.write(`POST /nowhere HTTP/1.1\r\nhost: trawl.test\r\ncontent-length: ${bytes}\r\n\r\n`)
  socket.write(Buffer.alloc(bytes))
  const [answer] = await once(socket, 'data')
  await closed

  assert.match(String(answer), /^HTTP\/1\.1 404 /)
  assert.ok((served?.bytesRead ?? bytes) < bytes / 2, `${served?.bytesRead} bytes were read`)
})

async function serveLargeAnswer(t: TestContext, unreadMsMax: number) {
  const server = createServer((_request, response) => response.end(Buffer.alloc(24 * 1024 ** 2)))
  limitConnections(server, { connectionsMax: 10, unreadMsMax })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const socket = await openFrom(t, '127.0.0.1', port)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: trawl.test\r\nconnection: close\r\n\r\n')
  return socket
}

test('a client that reads a large response slowly but steadily gets all of it', async (t) => {
  const socket = await serveLargeAnswer(t, 1_500)
  let readBytes = 0
  // Much longer than the limit for a client that reads nothing.
  const timer = setInterval(() => {
    const chunk: Buffer | null = socket.read()
    readBytes += chunk?.length ?? 0
  }, 10)
  t.after(() => clearInterval(timer))
  await once(socket, 'end')

  assert.ok(readBytes > 24 * 1024 ** 2)
})

test('a client that stops reading is disconnected', async (t) => {
  const socket = await serveLargeAnswer(t, 500)
  const closed = once(socket, 'close')
  await pause(3_000)
  socket.resume()
  await closed

  assert.ok(socket.bytesRead < 24 * 1024 ** 2)
})
