/** What callers get, and what is run, when a process dies or stands still while they wait. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { ServiceProcess } from '../faults/service-process.ts'
import { callApi } from '../support/call-api.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { realtimePath } from '../support/scrape-calls.ts'
import { createCaller, createSealedStore } from '../support/sealed-store.ts'
import { tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const waitingPaths = [realtimePath, '/v1/extract']
const statusCodes = (answers: { statusCode: number }[]) => answers.map((one) => one.statusCode)

for (const kind of tierStoreKinds) {
  test(`${kind}: callers whose worker was killed get their pages from the next one`, async (t) => {
    const site = await startHoldingSite(t)
    const place = await createSealedStore(t, kind)
    const environment = { TRAWL_LEASE: '2s' }
    const api = await place.start({ ...environment, TRAWL_ROLES: 'api' })
    await using store = await place.open()
    const call = await createCaller(store)
    const working = place.environmentWith({ ...environment, TRAWL_ROLES: 'worker' })
    await using worker = new ServiceProcess(working)
    await worker.start()

    const answers = waitingPaths.map((path) => call(api, `POST ${path}`, { url: site.url(path) }))
    const order = { url: site.url('/order'), method: 'POST', body: 'one' }
    const ordered = call(api, 'POST /v1/extract', order)
    await Promise.all([...waitingPaths, '/order'].map((path) => site.untilHeld(path)))
    await worker.end('SIGKILL')
    await worker.start()
    for (const path of waitingPaths) (await site.untilHeld(path, 2)).answer()

    assert.deepEqual(statusCodes(await Promise.all(answers)), [200, 200])
    assert.match((await ordered).text, /The request may have been sent/)
    assert.equal(site.heldAt('/order').length, 1, 'only a GET request is sent again')
  })
}

test('postgres: callers get their pages from a process that stood still for longer than a lease', async (t) => {
  const site = await startHoldingSite(t)
  const place = await createSealedStore(t, 'postgres')
  // After two more leases their process would count as dead.
  const environment = { TRAWL_LEASE: '4s' }
  await using store = await place.open()
  const { apiKey } = await createCaller(store)
  await using still = new ServiceProcess(place.environmentWith(environment))
  await still.start()

  const headers = { 'x-api-key': apiKey }
  const answers = waitingPaths.map((path) =>
    callApi(still.url, `POST ${path}`, { headers, body: { url: site.url(path) } }),
  )
  await Promise.all(waitingPaths.map((path) => site.untilHeld(path)))
  // What is not written yet goes on in its process alone.
  const leased = sql`select id from queue_entries where state = 'leased'`
  await until(async () => (await store.db.run(leased)).length === waitingPaths.length)
  still.signal('SIGSTOP')
  await place.start(environment)
  const putAside = sql`select id from queue_entries where crashes = 1 and state = 'scheduled'`
  await until(async () => (await store.db.run(putAside)).length === waitingPaths.length)
  const begunMeanwhile = waitingPaths.map((path) => site.heldAt(path).length - 1)
  still.signal('SIGCONT')
  for (const path of waitingPaths) (await site.untilHeld(path, 2)).answer()

  assert.deepEqual(statusCodes(await Promise.all(answers)), [200, 200])
  assert.deepEqual(begunMeanwhile, [0, 0], 'nothing is begun while nobody is known to wait')
})

test('sqlite: what callers of a killed process waited for is cancelled and never run', async (t) => {
  const site = await startHoldingSite(t)
  const place = await createSealedStore(t, 'sqlite')
  const environment = { TRAWL_LEASE: '2s', TRAWL_HTTP_CONCURRENCY: '1' }
  await using service = new ServiceProcess(place.environmentWith(environment))
  await service.start()
  const headers = { 'x-api-key': '' }
  {
    await using store = await place.open()
    headers['x-api-key'] = (await createCaller(store)).apiKey
  }
  const send = (path: string, body: object) =>
    callApi(service.url, `POST ${path}`, { headers, body })

  const answers = [
    send(realtimePath, { url: site.url('/running') }),
    send(realtimePath, { url: site.url('/queued') }),
    send('/v1/extract', { url: site.url('/queued'), method: 'POST', body: 'order' }),
  ]
  await site.untilHeld('/running')
  await using store = await place.open()
  const tasks = sql<{ state: string }>`select state from tasks`
  await until(async () => (await store.db.run(tasks)).length === answers.length)
  const [lost] = await Promise.all([Promise.allSettled(answers), service.end('SIGKILL')])
  await service.start()
  await until(async () => (await store.db.run(tasks)).every(({ state }) => state !== 'open'))

  assert.ok(lost.every(({ status }) => status === 'rejected'))
  const states = (await store.db.run(tasks)).map(({ state }) => state)
  assert.deepEqual(states, ['cancelled', 'cancelled', 'cancelled'])
  assert.deepEqual([site.heldAt('/running').length, site.heldAt('/queued').length], [1, 0])
})
