/** Events across processes on one PostgreSQL, and what listeners get when processes die. */
import assert from 'node:assert/strict'
import { get } from 'node:http'
import { test } from 'node:test'
import { ServiceProcess } from '../faults/service-process.ts'
import { submitBatch } from '../support/batch-calls.ts'
import { basicOf, callApi } from '../support/call-api.ts'
import { listenToEvents } from '../support/event-listener.ts'
import { submitExtraction } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { createCaller, createSealedStore } from '../support/sealed-store.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

test('a listener of one process hears of tasks that another one runs, and gets a reset when that one dies', async (t) => {
  const site = await startPageSite(t)
  site.page('/', '<p>page</p>')
  const place = await createSealedStore(t, 'postgres')
  const api = await place.start({ TRAWL_ROLES: 'api' })
  await using store = await place.open()
  const call = await createCaller(store)
  const key = { 'x-api-key': call.apiKey }
  await using worker = new ServiceProcess(place.environmentWith({ TRAWL_ROLES: 'worker,delivery' }))
  await worker.start()
  const listener = await listenToEvents(t, api.url, key, 'tasks,jobs')
  const run = async () => {
    const body = { url: site.url('/'), processing_mode: 'async' }
    return (await call(api, 'POST /v1/extract', body)).json().job_id as string
  }

  await t.test('the end of a task arrives', async () => {
    const id = await run()
    await listener.untilEvent('task', (one) => one.task_id === id && one.status === 'completed')
  })

  await t.test('the end of a batch arrives, with its counts', async () => {
    const body = { urls: [site.url('/'), site.url('/2')] }
    const { job_id } = (await call(api, 'POST /v1/batch', body)).json()
    const { counts } = await listener.untilEvent(
      'job',
      (one) => one.job_id === job_id && one.is_ended,
    )
    assert.equal(counts.completed, 2)
  })

  await t.test(
    'a worker that was killed may have swallowed events, so listeners read again',
    async () => {
      assert.ok(!listener.events.some(({ type }) => type === 'reset'))
      await worker.end('SIGKILL')
      await listener.untilEvent('reset')
    },
  )

  await t.test('a worker that starts later reports, too', async () => {
    await worker.start()
    await until(async () => {
      const id = await run()
      const isHeard = () =>
        listener.events.some(
          (one) => one.type === 'task' && one.task_id === id && one.status === 'completed',
        )
      await until(isHeard, { withinMs: 5_000 }).catch(() => undefined)
      return isHeard()
    })
  })

  await t.test('a key that was revoked in another process ends its streams', async () => {
    const other = await place.start({ TRAWL_ROLES: 'api' })
    const headers = { authorization: basicOf(call.username, call.password) }
    const [used] = (await callApi(other.url, 'GET /v1/keys', { headers })).json().keys
    await callApi(other.url, `DELETE /v1/keys/${used.id}`, { headers })
    await listener.untilEnded()
  })
})

test('a listener whose process was killed gets a reset from the next one', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  await using service = new ServiceProcess(
    place.environmentWith({ TRAWL_API_KEY: 'key-of-sixteen-chars' }),
  )
  await service.start()
  const headers = { 'x-api-key': 'key-of-sixteen-chars' }
  const before = await listenToEvents(t, service.url, headers, 'tasks')
  const lastEventId = before.lastEventId() ?? ''

  await service.end('SIGKILL')
  await before.untilEnded()
  await service.start()
  const after = await listenToEvents(
    t,
    service.url,
    { ...headers, 'last-event-id': lastEventId },
    'tasks',
  )

  await after.untilEvent('reset')
})

test('a flood of events', async (t) => {
  const site = await startPageSite(t)
  const held = await startHoldingSite(t)
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()
  const headers = { 'x-api-key': account.apiKey }
  const urls = Array.from({ length: 1_000 }, (_, page) => site.url(`/${page}`))

  await t.test(
    'more than 200 tasks a second are counted, but one that is watched is named',
    async () => {
      const listener = await listenToEvents(t, service.url, headers, 'tasks')
      await submitBatch(account, { urls })

      const { counts } = await listener.untilEvent('tasks')

      assert.ok(Object.values(counts).reduce((sum, count) => sum + count, 0) > 50)
      const one = await submitExtraction(account, { url: held.url('/watched') })
      const request = await held.untilHeld('/watched')
      const watcher = await listenToEvents(t, service.url, headers, `task:${one}`)
      request.answer()
      await watcher.untilEvent('task', ({ status }) => status === 'completed')
      assert.equal(new Set(watcher.events.map(({ type }) => type)).size, 1)
    },
  )

  await t.test(
    'a listener that does not read holds up neither others nor the end of the service',
    async () => {
      const slow = get(`${service.url}/v1/events`, { headers, agent: false })
      t.after(() => slow.destroy())
      await new Promise((resolve) => slow.once('response', (response) => resolve(response.pause())))
      const reader = await listenToEvents(t, service.url, headers, 'jobs')
      const { job_id } = await submitBatch(account, { urls })

      await reader.untilEvent('job', (one) => one.job_id === job_id && one.is_ended)
      await service[Symbol.asyncDispose]()

      await reader.untilEnded()
    },
  )
})
