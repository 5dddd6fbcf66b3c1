import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFailure } from '../support/error-bodies.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { type RunningProgram, runTrawl } from '../support/run-program.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

test('while PostgreSQL is down callers get 503; the log has one line when that begins and one when all recovers', async (t) => {
  const postgres = await startPostgres()
  const { place } = await createTestStore(t, 'postgres', postgres)
  const apiKey = 'the-key-of-the-outage-test'
  const service = runTrawl(t, ['serve'], {
    cwd: place.dataDir,
    environment: {
      ...serviceEnvironment(place),
      TRAWL_API_KEY: apiKey,
      TRAWL_LOG_LEVEL: 'debug',
      TRAWL_LEASE: '2s',
    },
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
  for (let count = 0; count < 50; count++) {
    assertFailure(await get('/v1/webhooks'), 'STORE_UNAVAILABLE')
  }
  const health = await get('/health')
  const ready = await get('/readyz?verbose')
  for (const retried of ['request failed', 'Failed to poll the queue', 'Failed to renew leases']) {
    await until(() => linesOf(service).filter(({ msg }) => msg.startsWith(retried)).length >= 3)
  }

  await postgres.start()
  await until(async () => (await get('/v1/webhooks')).statusCode === 200)
  await until(() => failuresIn(service) !== undefined)

  assert.equal(health.statusCode, 503)
  assert.equal((health.json() as { status: string }).status, 'unavailable')
  assert.equal(ready.statusCode, 503)
  assert.equal((await get('/readyz')).statusCode, 200)
  const loud = linesOf(service).filter(({ level }) => level >= warnLevel)
  const ofOutage = loud.filter(({ msg }) => msg.includes(place.url?.replace(/trawl@/, '') ?? ''))
  assert.deepEqual(
    ofOutage.map(({ code, msg }) => [code, /fail:|succeed again/.exec(msg)?.[0]]),
    [
      ['STORE_UNAVAILABLE', 'fail:'],
      ['STORE_UNAVAILABLE', 'succeed again'],
    ],
  )
  assert.ok(Number(failuresIn(service)) >= 50)
  assert.equal(new Set(loud.map(({ msg }) => msg)).size, loud.length, JSON.stringify(loud))
})

/** How many calls the line about the end of the outage counts. */
const failuresIn = (service: RunningProgram): string | undefined =>
  /succeed again: (\d+) had failed within/.exec(service.stderr())?.[1]

/** The number of pino's level `warn`. */
const warnLevel = 40

const linesOf = (service: RunningProgram): { level: number; msg: string; code?: string }[] =>
  service
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line))
