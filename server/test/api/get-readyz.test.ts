import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HealthFacts } from '../../src/domain/service/health.ts'
import { createTestApp, readyBrowser } from '../support/test-app.ts'

test('/readyz of a working service is 200', async (t) => {
  const { app } = createTestApp(t)
  const answer = await app.inject('/readyz')

  assert.equal(answer.statusCode, 200)
  assert.deepEqual(answer.json(), { status: 'ready' })
})

test('a missing browser does not fail /readyz, and ?verbose says how to fix it', async (t) => {
  const { app } = createTestApp(t, { health: { browser: { ...readyBrowser, state: 'absent' } } })
  const answer = await app.inject('/readyz?verbose')
  const { status, checks } = answer.json()

  assert.equal(answer.statusCode, 200)
  assert.equal(status, 'ready')
  assert.deepEqual(Object.keys(checks), ['store', 'disk', 'accepting', 'browser'])
  assert.equal(checks.browser.ok, false)
  assert.match(checks.browser.detail, /npx trawl browser install/)
})

test('/readyz?verbose shows the browser and whether its sandbox is on', async (t) => {
  const { app } = createTestApp(t, { health: { browser: { ...readyBrowser, sandbox: 'off' } } })
  const answer = await app.inject('/readyz?verbose')

  assert.deepEqual(answer.json().checks.browser, {
    ok: true,
    detail: 'Chromium 156.0 opens pages, its sandbox is off.',
    opens_pages: true,
    state: 'ready',
    version: '156.0',
    flavor: 'shell',
    sandbox: 'off',
  })
})

test('a disk that is nearly full does not fail /readyz and is reported', async (t) => {
  const { app } = createTestApp(t, { health: { diskFreeShare: 0.01, isDiskLow: true } })
  const answer = await app.inject('/readyz?verbose')

  assert.equal(answer.statusCode, 200)
  assert.deepEqual(answer.json().checks.disk, { ok: false, detail: '1 % is free.' })
})

const notReady: [Partial<HealthFacts>, code: string, detail: RegExp][] = [
  [{ isStoreAnswering: false }, 'STORE_UNAVAILABLE', /store does not answer/],
  [{ isDraining: true }, 'SHUTTING_DOWN', /stopping/],
]

for (const [health, code, detail] of notReady) {
  test(`/readyz with ${JSON.stringify(health)} is 503 ${code} with the reason`, async (t) => {
    const { app } = createTestApp(t, { health })
    const answer = await app.inject('/readyz?verbose=1')
    const body = answer.json()

    assert.equal(answer.statusCode, 503)
    assert.match(String(answer.headers['retry-after']), /^\d+$/)
    assert.equal(body.status, 'not_ready')
    assert.equal(body.code, code)
    assert.equal(body.retryable, true)
    assert.equal(body.correlation_id, answer.headers['x-request-id'])
    assert.match(body.message, detail)
    assert.ok(Object.values(body.checks).some((check) => !(check as { ok: boolean }).ok))
  })
}
