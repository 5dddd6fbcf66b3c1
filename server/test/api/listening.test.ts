import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
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

test('a server that cannot be announced does not start, and its port is free again', async () => {
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

test('a server on localhost listens at one address, the one that is announced', async (t) => {
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
