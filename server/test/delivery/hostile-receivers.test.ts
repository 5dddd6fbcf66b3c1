import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { startRawOrigin } from '../outbound/raw-origin.ts'
import { beside, type DeliveryScene, startDeliveryScene } from '../support/delivery-scene.ts'
import type { Behaviour } from '../support/test-receiver.ts'

const tooLate = 'The host did not answer in time.'
const broken = 'The answer was not valid HTTP, or was cut off.'

test('receivers that misbehave', { concurrency: true }, async (t) => {
  const scene = await startDeliveryScene(t, { environment: { TRAWL_DELIVERY_SCHEDULE: '0s' } })
  const ends = endsWith(scene)

  await beside(t, {
    'no headers for 15 seconds is a failure': (t) =>
      ends(t, () => undefined, { lastError: tooLate, withinMs: 15_000 }),
    'headers a little late are a failure': (t) =>
      ends(t, after(15_300), { lastError: tooLate, withinMs: 15_000 }),
    'headers in time are a success': (t) =>
      ends(t, after(12_000), { lastError: null, withinMs: 12_000 }),
    'headers that come byte by byte are a failure at the same time': (t) => drips(t, scene),
    'a receiver that never reads is given up': (t) => neverReads(t, scene),
    'a body without an end is cut, and a success': (t) => ends(t, endless, success),
    'a body that never comes is not waited for, and a success': (t) =>
      ends(t, (_received, response) => void response.writeHead(200).write('x'), success),
    'a body that breaks off is a success, since the headers have said so': (t) =>
      ends(t, breaksOff, success),
    'a body of a mebibyte is a success': (t) =>
      ends(t, (_received, response) => void response.end(Buffer.alloc(2 ** 20, 'a')), success),
    'informational answers before the real one do no harm': (t) => ends(t, informs, success),
    'a mebibyte of headers is a failure': (t) => answersRaw(t, scene, bigHeaders, broken),
    'what is not HTTP is a failure': (t) => answersRaw(t, scene, 'SSH-2.0-x\r\n\r\n', broken),
    'a connection that is closed instead of an answer is a failure': (t) =>
      ends(t, (_received, response) => response.destroy(), {
        lastError: 'The host could not be reached.',
        withinMs: 0,
      }),
    'a certificate that nobody vouches for is a failure': (t) => isSelfSigned(t, scene),
    'a ping to a receiver that hangs is answered when its time is over': (t) => pingHangs(t, scene),
  })
})

interface Outcome {
  lastError: string | null
  /** It takes about so long. */
  withinMs: number
}

const success: Outcome = { lastError: null, withinMs: 0 }

/** A callback to a receiver that behaves so comes to that end, after one attempt. */
const endsWith =
  (scene: DeliveryScene) =>
  async (t: TestContext, behaviour: Behaviour, outcome: Outcome): Promise<void> => {
    const party = await scene.join(t)
    party.receiver.behave(behaviour)
    await assertEnd(scene, { ...party, callbackUrl: `${party.receiver.url}/callback` }, outcome)
    assert.equal(party.receiver.received.length, 1)
  }

async function assertEnd(
  { service }: DeliveryScene,
  {
    callbackUrl,
    path,
    scrape,
    untilCallback,
  }: Awaited<ReturnType<DeliveryScene['join']>> & { callbackUrl: string; path?: string },
  { lastError, withinMs }: Outcome,
): Promise<void> {
  const id = await scrape({ callbackUrl, ...(path && { path }) })

  const { delivery } = await untilCallback(id, ({ status }) => status !== 'pending')
  assert.equal(delivery.lastError, lastError)
  assert.equal(delivery.status, lastError === null ? 'delivered' : 'failed')
  assert.equal(delivery.attempts, 1)
  const { db } = await service.openBeside()
  const [attempt] = await db.run(sql<{ duration_ms: number }>`
    select duration_ms from delivery_attempts
    join deliveries on deliveries.id = delivery_id where task_id = ${id}`)
  const tookMs = Number(attempt?.duration_ms)
  assert.ok(tookMs >= withinMs - 5 && tookMs < withinMs + 8_000, `It took ${tookMs} ms.`)
}

const after =
  (ms: number): Behaviour =>
  (_received, response) =>
    void setTimeout(() => response.end(), ms)

const endless: Behaviour = (_received, response) => {
  const piece = Buffer.alloc(2 ** 14, 'a')
  const more = () => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

const breaksOff: Behaviour = (_received, response) => {
  response.writeHead(200, { 'content-length': 100 })
  response.write('the beg', () => response.socket?.resetAndDestroy())
}

const informs: Behaviour = (_received, response) => {
  response.writeProcessing()
  response.writeEarlyHints({ link: '</style.css>; rel=preload' })
  response.end()
}

const bigHeaders = `HTTP/1.1 200 OK\r\nx-big: ${'a'.repeat(2 ** 20)}\r\ncontent-length: 0\r\n\r\n`

async function drips(t: TestContext, scene: DeliveryScene): Promise<void> {
  const text = `HTTP/1.1 200 OK\r\nx-slow: ${'a'.repeat(100)}`
  const timers: NodeJS.Timeout[] = []
  t.after(() => timers.forEach(clearInterval))
  const drip = (socket: Socket) => {
    let at = 0
    timers.push(setInterval(() => socket.writable && socket.write(text[at++] ?? 'a'), 500))
  }
  const origin = await startRawOrigin(t, drip)

  const party = { ...(await scene.join(t)), callbackUrl: origin.url }
  await assertEnd(scene, party, { lastError: tooLate, withinMs: 15_000 })
}

async function neverReads(t: TestContext, scene: DeliveryScene): Promise<void> {
  const sockets: Socket[] = []
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.push(socket.on('error', () => {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  const party = { ...(await scene.join(t)), callbackUrl, path: `/big/${7 * 2 ** 20}` }
  await assertEnd(scene, party, { lastError: tooLate, withinMs: 15_000 })
}

async function answersRaw(
  t: TestContext,
  scene: DeliveryScene,
  answer: string,
  lastError: string,
): Promise<void> {
  const origin = await startRawOrigin(t, (socket) => void socket.write(answer))

  const party = { ...(await scene.join(t)), callbackUrl: origin.url }
  await assertEnd(scene, party, { lastError, withinMs: 0 })
}

async function isSelfSigned(t: TestContext, scene: DeliveryScene): Promise<void> {
  const pem = readFileSync(new URL('../outbound/test-certificate.pem', import.meta.url))
  let requests = 0
  const server = createTlsServer({ key: pem, cert: pem }, (_request, response) => {
    requests += 1
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo

  const party = { ...(await scene.join(t)), callbackUrl: `https://127.0.0.1:${port}/` }
  const lastError = 'No trusted TLS connection to the host could be made.'
  await assertEnd(scene, party, { lastError, withinMs: 0 })
  assert.equal(requests, 0)
}

async function pingHangs(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { account, receiver, subscribe } = await scene.join(t)
  receiver.behave(() => undefined)
  const { id } = await subscribe()

  const answer = await account.call(`POST /v1/webhooks/${id}/test`)

  assert.equal(answer.statusCode, 200)
  const { duration_ms, ...outcome } = answer.json()
  assert.deepEqual(outcome, { delivered: false, http_status: null, error: tooLate })
  assert.ok(duration_ms >= 15_000 && duration_ms < 23_000, `It took ${duration_ms} ms.`)
}
