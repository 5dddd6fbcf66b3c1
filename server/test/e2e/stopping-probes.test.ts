import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { callWithRetry } from '../support/retry-while-unavailable.ts'
import { runTrawl } from '../support/run-program.ts'
import { callbackPath, closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const apiKey = 'the-key-of-the-test'

for (const kind of tierStoreKinds) {
  test(`${kind}: /livez is 200 and /readyz is 503 until the stopping process ends`, async (t) => {
    const { place } = await createTestStore(t, kind)
    const site = await startHoldingSite(t)
    const service = runTrawl(t, ['serve'], {
      cwd: place.dataDir,
      environment: {
        ...serviceEnvironment(place),
        ...reachingLoopback,
        TRAWL_API_KEY: apiKey,
        TRAWL_LOG_LEVEL: 'info',
      },
    })
    const [, url = ''] = await service.whenSaid(/API +(http:\S+)/)
    // Each probe uses its own connection, as orchestrators do.
    const ask = (path: string) => callApi(url, `GET ${path}`, { headers: { connection: 'close' } })
    const body = { url: site.url('/held'), callbackUrl: closedPortUrl }
    const headers = { 'x-api-key': apiKey }
    await callWithRetry(() => callApi(url, `POST ${callbackPath}`, { headers, body }))
    const held = await site.untilHeld('/held')
    assert.equal((await ask('/readyz')).statusCode, 200)

    service.child.kill('SIGTERM')
    await service.whenSaid(/"stopping"/)

    // No request is open, but a task is running, and the listener stays open until it ends.
    for (let count = 1; ; count++) {
      const wasUnderWay = !held.isLeft()
      const answers = await Promise.all([ask('/livez'), ask('/readyz?verbose')]).catch(() => [])
      const [alive, ready] = answers
      if (!alive || !ready) {
        assert.ok(!wasUnderWay || held.isLeft() || count > 5, 'refused while a task was under way')
        break
      }
      assert.equal(alive.statusCode, 200)
      assert.equal(ready.statusCode, 503)
      assert.equal(ready.json().status, 'not_ready')
      assert.equal(ready.json().code, 'SHUTTING_DOWN')
      if (count === 5) held.answer()
    }
    assert.equal(await service.whenEnded, 0)
  })
}

test('a process marks that it stops before its drain delay, in which it may be killed', async (t) => {
  const { place } = await createTestStore(t, 'sqlite')
  const service = runTrawl(t, ['serve'], {
    cwd: place.dataDir,
    environment: { ...serviceEnvironment(place), TRAWL_DRAIN_DELAY: '1m' },
  })
  await service.whenSaid(/API +http:\S+/)
  const marks = () => readdirSync(place.dataDir).filter((name) => name.startsWith('stopping.'))
  const before = marks()

  service.child.kill('SIGTERM')
  await until(() => marks().length > 0)
  service.child.kill('SIGKILL')
  await service.whenEnded

  assert.deepEqual([before.length, marks().length], [0, 1])
})
