import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFailure } from '../support/error-bodies.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { runTrawl } from '../support/run-program.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

test('while PostgreSQL is down callers get 503 and the log says so; afterwards all recovers', async (t) => {
  const postgres = await startPostgres()
  const { place } = await createTestStore(t, 'postgres', postgres)
  const apiKey = 'the-key-of-the-outage-test'
  const service = runTrawl(t, ['serve'], {
    cwd: place.dataDir,
    environment: { ...serviceEnvironment(place), TRAWL_API_KEY: apiKey },
  })
  const [, url] = await service.whenSaid(/API +(http:\S+)/)
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { 'x-api-key': apiKey } })
    const body = await answer.json()
    const headers = Object.fromEntries(answer.headers)
    return { statusCode: answer.status, headers, json: () => body }
  }
  assert.equal((await get('/v1/webhooks')).statusCode, 200)

  await postgres.stop()
  assertFailure(await get('/v1/webhooks'), 'STORE_UNAVAILABLE')
  const health = await get('/health')
  const ready = await get('/readyz?verbose')
  await service.whenSaid(/"code":"STORE_UNAVAILABLE"/)

  await postgres.start()
  await until(async () => (await get('/v1/webhooks')).statusCode === 200)

  assert.equal(health.statusCode, 503)
  assert.equal((health.json() as { status: string }).status, 'unavailable')
  assert.equal(ready.statusCode, 503)
  assert.equal((await get('/readyz')).statusCode, 200)
})
