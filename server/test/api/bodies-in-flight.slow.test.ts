import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { z } from 'zod'
import { BodiesInFlight } from '../../src/http/requests/bodies-in-flight.ts'
import { defineRoute } from '../../src/http/route.ts'
import { parseResponse } from '../support/raw-http.ts'
import { createTestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'

const bodyBytes = 5 * 2 ** 20

const take = defineRoute('service', {
  operationId: 'take',
  request: 'POST /take',
  summary: 'For tests',
  body: z.string(),
  bodyBytesMax: bodyBytes,
  response: { status: 200, description: 'Taken.', body: z.object({}) },
  handle: () => ({}),
})

const takeLess = defineRoute('service', {
  ...take,
  operationId: 'take-less',
  request: 'POST /take-less',
  bodyBytesMax: 100_000,
})

const whole = JSON.stringify('a'.repeat(bodyBytes - 2))

for (const framing of ['content-length', 'chunked'] as const) {
  test(`${framing}: bodies that stop coming take a limited memory, and only their sender is refused`, async (t) => {
    const { app } = createTestApp(t, { routes: [take] })
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const send = (from: string, body: string) => sendBody(t, { port, from, body, framing })

    const halves: Socket[] = []
    for (let count = 0; count < 6; count += 1) {
      const { socket, sent } = send('127.0.0.1', whole.slice(0, -1))
      await sent
      halves.push(socket)
    }
    await until(async () => (await send('127.0.0.1', whole).status) === 429)
    assert.equal(await send('127.0.0.2', whole).status, 200)
    assert.equal(await send('127.0.0.1', '"small"').status, 200)

    for (const socket of halves) socket.destroy()
    await until(async () => (await send('127.0.0.1', whole).status) === 200)
  })
}

test('bodies that are refused for their length take no memory from those that follow', async (t) => {
  const { app } = createTestApp(t, { routes: [take, takeLess] })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const statusOf = async (path: string, body: string): Promise<number> => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url + path, { method: 'POST', headers, body })
    await response.arrayBuffer()
    return response.status
  }

  const tooLong = 'a'.repeat(200_000)
  const refused = new Set<number>()
  for (let count = 0; count < 100; count += 1) {
    const answers = Array.from({ length: 8 }, () => statusOf('/take-less', tooLong))
    for (const status of await Promise.all(answers)) refused.add(status)
  }

  assert.deepEqual([...refused], [413])
  assert.equal(await statusOf('/take', whole), 200)
})

test('where all owners together have too many bytes, each may still have a body', () => {
  const bodies = new BodiesInFlight({ ownerMax: 30, totalMax: 50, spareMax: 10 })
  const [first, second, third] = [bodies.open('a'), bodies.open('b'), bodies.open('c')]

  assert.equal(first.tryAdd(30), true)
  assert.equal(first.tryAdd(1), false)
  assert.equal(second.tryAdd(20), true)
  assert.equal(second.tryAdd(1), false)
  assert.equal(third.tryAdd(10), true)
  assert.equal(third.tryAdd(1), false)
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  assert.equal(third.tryAdd(20), true)
})

function sendBody(
  t: TestContext,
  given: { port: string; from: string; body: string; framing: 'content-length' | 'chunked' },
) {
  const { port, from, body, framing } = given
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: from })
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  const isWhole = body !== whole.slice(0, -1)
  const length = isWhole ? body.length : whole.length
  const head = ['POST /take HTTP/1.1', 'host: trawl.test', 'content-type: application/json']
  const sent = new Promise((resolve) => {
    if (framing === 'chunked') {
      socket.write([...head, 'transfer-encoding: chunked', '', ''].join('\r\n'))
      socket.write(`${length.toString(16)}\r\n`)
    } else socket.write([...head, `content-length: ${length}`, '', ''].join('\r\n'))
    socket.write(framing === 'chunked' && isWhole ? `${body}\r\n0\r\n\r\n` : body, resolve)
  })
  const status = once(socket, 'data').then(([data]) => {
    socket.destroy()
    return parseResponse(String(data)).status
  })
  status.catch(() => undefined)
  return { socket, sent, status }
}
