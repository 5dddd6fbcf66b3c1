import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestApp, readyBrowser } from '../support/test-app.ts'

test('/health of a complete service is 200 ok', async (t) => {
  const { app } = createTestApp(t)
  const answer = await app.inject('/health')
  const { status, service, version, timestamp, ...rest } = answer.json()

  assert.equal(answer.statusCode, 200)
  assert.deepEqual({ status, service, rest }, { status: 'ok', service: 'trawl', rest: {} })
  assert.match(version, /^\d+\.\d+\.\d+$/)
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('/health of a service without a browser is 200 degraded', async (t) => {
  const { app } = createTestApp(t, { health: { browser: { ...readyBrowser, state: 'absent' } } })
  const answer = await app.inject('/health')

  assert.equal(answer.statusCode, 200)
  assert.equal(answer.json().status, 'degraded')
})

test('/health of a service with an unresponsive store is 503 unavailable, with the same body', async (t) => {
  const { app } = createTestApp(t, { health: { isStoreAnswering: false } })
  const answer = await app.inject('/health')

  assert.equal(answer.statusCode, 503)
  assert.match(String(answer.headers['retry-after']), /^\d+$/)
  assert.deepEqual(Object.keys(answer.json()), ['status', 'service', 'version', 'timestamp'])
  assert.equal(answer.json().status, 'unavailable')
})
