import assert from 'node:assert/strict'
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
