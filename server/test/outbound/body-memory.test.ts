/** The memory of large bodies. */
import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { MemoryBudget } from '../../src/runtime/sharing/memory-budget.ts'
import { until } from '../support/until.ts'
import { allowing, openClient, problemOf } from './outbound-client.ts'
import { startRawOrigin } from './raw-origin.ts'

const here = allowing('127.0.0.0/8')

test('a large body waits until memory is reserved, a small one reserves none', async (t) => {
  const body = Buffer.alloc(8 * 2 ** 20, 'a')
  const origin = await startRawOrigin(t, (socket, nth) => {
    const bytes = nth === 1 ? body.subarray(0, 2 ** 20) : body
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`)
    socket.write(bytes)
  })
  const client = openClient(t, here)
  const budget = new MemoryBudget({ total: body.length })
  const filled = budget.open()
  await filled.reserve(body.length)
  const limits = { bodyBytesMax: 16 * 2 ** 20, idleMs: 1_000 }

  const small = await client.send(origin.url, { limits, memory: budget.open() })
  assert.equal(small.body.length, 2 ** 20)

  const large = client.send(origin.url, { limits, memory: budget.open() })
  // Longer than a body may pause: it is not the target that is waited for.
  const isEarly = await Promise.race([large.then(() => true), pause(2_500, false)])
  assert.equal(isEarly, false)
  filled[Symbol.dispose]()
  assert.equal(Buffer.compare((await large).body, body), 0)
})

test('of a body that comes fast a few pieces are read in a round of the event loop', async (t) => {
  const bytes = 8 * 2 ** 20
  const origin = await startRawOrigin(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n`)
    socket.write(Buffer.alloc(bytes))
  })
  const client = openClient(t, here)
  let connection: Socket | undefined
  subscribe('net.client.socket', (message) => {
    connection = (message as { socket: Socket }).socket
  })

  let isOver = false
  const sent = client.send(origin.url, { limits: { bodyBytesMax: bytes } }).finally(() => {
    isOver = true
  })
  let [before, inRoundMax] = [0, 0]
  while (!isOver) {
    await nextTurn()
    const read = connection?.bytesRead ?? 0
    inRoundMax = Math.max(inRoundMax, read - before)
    before = read
  }

  assert.equal((await sent).body.length, bytes)
  assert.ok(inRoundMax <= 4 * 65_536, `${inRoundMax} bytes in a round`)
})

test('a body reserves memory as its bytes come, however large it is announced', async (t) => {
  const origin = await startRawOrigin(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${16 * 2 ** 20}\r\n\r\n`)
    socket.write(Buffer.alloc(1.5 * 2 ** 20))
  })
  const client = openClient(t, here)
  const left = new AbortController()
  const asked: number[][] = []
  const reserve = async (...amounts: number[]) => void asked.push(amounts)

  const sent = problemOf(
    client.send(origin.url, {
      limits: { bodyBytesMax: 20 * 2 ** 20 },
      memory: { reserve, isWanted: () => false },
      signal: left.signal,
    }),
  )
  await until(() => asked.length > 0)
  left.abort()
  await sent

  const [[amount = 0, claim] = []] = asked
  assert.equal(asked.length, 1)
  assert(amount > 2 * 2 ** 20 && amount < 3 * 2 ** 20, `${amount} bytes were reserved`)
  assert.equal(claim, 16 * 2 ** 20)
})

for (const isWanted of [true, false]) {
  test(`a body that dribbles ${isWanted ? 'ends once others wait' : 'goes on while nobody waits'} for its memory`, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const dribbled = Promise.withResolvers<Socket>()
    const origin = await startRawOrigin(t, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${3 * 2 ** 20}\r\n\r\n`)
      socket.write(Buffer.alloc(1.5 * 2 ** 20))
      dribbled.resolve(socket)
    })
    const client = openClient(t, here)
    const reserved = Promise.withResolvers<void>()
    const reserve = async () => reserved.resolve()

    const response = client
      .send(origin.url, {
        limits: { bodyBytesMax: 20 * 2 ** 20 },
        memory: { reserve, isWanted: () => isWanted },
      })
      .then(
        ({ body }) => body.length,
        (error) => error.problem,
      )
    await reserved.promise
    await nextTurn()
    // The rest of what was sent may still come meanwhile.
    for (let second = 0; second < 40; second++) {
      t.mock.timers.tick(1_000)
      await nextTurn()
    }
    ;(await dribbled.promise).write(Buffer.alloc(1.5 * 2 ** 20))

    assert.equal(await response, isWanted ? 'timeout' : 3 * 2 ** 20)
  })
}
