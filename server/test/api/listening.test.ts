import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { startHttpServer } from '../../src/http/server.ts'
import { createMetrics } from '../../src/runtime/metrics.ts'
import { useCasesWith } from '../support/test-app.ts'
import { silentLog } from '../support/test-store.ts'

const options = {
  host: '127.0.0.1',
  port: 0,
  drain: { isDraining: false, isRefusing: false },
  drainDelayMs: 0,
  inFlightMsMax: 25_000,
  onRefusing: () => undefined,
  routes: [],
  useCases: useCasesWith({}),
  bodyBytesMax: 1024,
  trustProxy: [],
  allowedHosts: [],
  connectionsMax: 1_000,
  requestTimeoutMs: 30_000,
  log: silentLog,
}

test('a server answers nobody before it is announced that it listens', async (t) => {
  const announcing = Promise.withResolvers<void>()
  const listening = Promise.withResolvers<string>()
  const starting = startHttpServer({
    ...options,
    metrics: createMetrics({ storeClockOffsetMs: () => 0 }),
    onListening(address, port) {
      listening.resolve(`http://${address}:${port}`)
      return announcing.promise
    },
  })
  const url = await listening.promise

  await assert.rejects(fetch(`${url}/early`))
  announcing.resolve()
  const server = await starting
  t.after(() => server[Symbol.asyncDispose]())
  const answer = await fetch(`${url}/later`)

  assert.equal(server.url, url)
  assert.equal(answer.status, 404)
})

test('a connection established before the announcement is not served after it', async (t) => {
  const count = 40
  // A thread connects while this one is blocked: the kernel accepts, the server does not.
  const state = new Int32Array(new SharedArrayBuffer(8))
  const answers = Promise.withResolvers<string[]>()
  const server = await startHttpServer({
    ...options,
    drain: { isDraining: false, isRefusing: false },
    metrics: createMetrics({ storeClockOffsetMs: () => 0 }),
    async onListening(_address, port) {
      const worker = new Worker(earlyCallers, { eval: true, workerData: { state, port, count } })
      worker.once('message', answers.resolve)
      await once(worker, 'online')
      Atomics.wait(state, 0, 0)
    },
  })
  t.after(() => server[Symbol.asyncDispose]())

  const served = (await answers.promise).filter((answer) => answer !== '')
  assert.equal(served.length, 0)
  assert.equal((await fetch(`${server.url}/later`)).status, 404)
})

/** Connects while nobody accepts, sends a request on each connection and reports the responses. */
const earlyCallers = `
  const { connect } = require('node:net')
  const { once } = require('node:events')
  const { parentPort, workerData: { state, port, count } } = require('node:worker_threads')
  async function call() {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => { answer += chunk })
    socket.on('error', () => undefined)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await once(socket, 'connect')
    socket.write('GET /early HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n')
    if (Atomics.add(state, 1, 1) + 1 === count) {
      Atomics.store(state, 0, 1)
      Atomics.notify(state, 0)
    }
    await closed
    return answer
  }
  Promise.all(Array.from({ length: count }, call)).then((answers) => parentPort.postMessage(answers))
`

test('a server that cannot be announced does not start and frees its port', async () => {
  let url = ''
  const starting = startHttpServer({
    ...options,
    metrics: createMetrics({ storeClockOffsetMs: () => 0 }),
    onListening(address, port) {
      url = `http://${address}:${port}`
      return Promise.reject(new Error('The store is away.'))
    },
  })

  await assert.rejects(starting, /The store is away/)
  await assert.rejects(fetch(url))
})

test('a server on localhost listens at one address, the announced one', async (t) => {
  const announced: string[] = []
  const server = await startHttpServer({
    ...options,
    host: 'localhost',
    metrics: createMetrics({ storeClockOffsetMs: () => 0 }),
    onListening: async (address) => void announced.push(address),
  })
  t.after(() => server[Symbol.asyncDispose]())
  const { port } = new URL(server.url)

  const addresses = ['127.0.0.1', '::1']
  const isAnswered = await Promise.all(
    addresses.map((address) => canConnect(address, Number(port))),
  )

  assert.deepEqual(
    addresses.filter((_, index) => isAnswered[index]),
    announced,
  )
})

function canConnect(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host, port }, () => resolve(true))
  socket.once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
