import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { z } from 'zod'
import { getAccount } from '../../src/accounts/accounts.ts'
import { defaultScrapeOptions } from '../../src/domain/scrape/scrape-options.ts'
import { defineRoute } from '../../src/http/route.ts'
import { sortableId } from '../../src/runtime/sortable-id.ts'
import { insertLeasedEntry } from '../../src/storage/tables/queue-entries.ts'
import { insertTask } from '../../src/storage/tables/tasks.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  reachingLoopback,
  realtimePath,
  untilStatus,
  untilTask,
} from '../support/scrape-calls.ts'
import { createTestApp } from '../support/test-app.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores, type TestAccount, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

/** A realtime request that the caller can abort. */
function scrapeUntilHungUp({ url }: TestService, { apiKey }: TestAccount, target: string) {
  const controller = new AbortController()
  const answered = fetch(url + realtimePath, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ url: target }),
    signal: controller.signal,
  }).then(
    () => 'answered',
    () => 'hung up',
  )
  return { answered, hangUp: () => controller.abort() }
}

const onlyTaskOf = async (account: TestAccount): Promise<string> =>
  (await account.call(`GET ${callbackPath}`)).json().items[0].requestId

onBothStores((kind, start) => {
  test(`${kind}: a realtime caller who disconnects`, async (t) => {
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })

    await t.test('a realtime caller who disconnects cancels the task and its fetch', async () => {
      const account = await service.createAccount()
      const { answered, hangUp } = scrapeUntilHungUp(service, account, held.url('/running'))
      const request = await held.untilHeld('/running')
      const id = await onlyTaskOf(account)

      hangUp()

      const task = await untilStatus(account, id, 'cancelled')
      await until(() => request.isLeft())
      assert.equal(await answered, 'hung up')
      assert.equal(task.error, null)
      assert.equal(task.delivery, null)
      assert.equal(held.heldAt('/running').length, 1)
    })

    await t.test('a caller who disconnects between two attempts cancels the task', async () => {
      const account = await service.createAccount()
      const { hangUp } = scrapeUntilHungUp(service, account, held.url('/between'))
      ;(await held.untilHeld('/between')).answer(503, { 'retry-after': '20' })
      const id = await onlyTaskOf(account)
      await untilTask(account, id, ({ attempts }) => attempts === 1)

      hangUp()

      assert.equal((await untilStatus(account, id, 'cancelled')).attempts, 1)
    })

    await t.test('a task cancelled by a disconnect sends no webhook event', async () => {
      const account = await service.createAccount()
      const webhook = { url: `${receiver.url}/hook`, event_type: 'extract_completed' }
      const { id: webhookId } = (await account.call('POST /v1/webhooks', webhook)).json()
      const { hangUp } = scrapeUntilHungUp(service, account, held.url('/eventless'))
      await held.untilHeld('/eventless')
      const id = await onlyTaskOf(account)
      hangUp()
      await untilStatus(account, id, 'cancelled')

      const waited = account.call(`POST ${realtimePath}`, { url: held.url('/event') })
      ;(await held.untilHeld('/event')).answer()
      const { headers } = await waited
      const [event] = await receiver.arrivals(1, '/hook')
      const deliveries = await account.call(`GET /v1/webhooks/${webhookId}/deliveries`)

      assert.equal(event?.json.data.job_id, headers['x-request-id'])
      assert.equal(deliveries.json().items.length, 1)
    })
  })

  test(`${kind}: a realtime task of a process that died is cancelled, not run again`, async (t) => {
    const held = await startHoldingSite(t)
    const environment = { ...reachingLoopback, TRAWL_LEASE: '1s' }
    const service = await start(t, { environment })
    const account = await service.createAccount()
    const { db, sealer } = await service.openBeside()
    const { id: accountId } = await getAccount(db, account.username)
    const id = sortableId()
    const nowMs = db.nowMs()
    const request = {
      url: held.url('/orphan'),
      options: defaultScrapeOptions,
      timeoutMs: 60_000,
      forwardedHeaders: {},
      purpose: { kind: 'realtime' as const },
    }

    await db.transaction([
      insertTask(sealer, {
        id,
        accountId,
        callbackUrl: null,
        callsBackOnFailure: false,
        request,
        metadata: null,
        createdAtMs: nowMs,
      }),
      insertLeasedEntry(
        {
          id,
          lane: 'http',
          workId: id,
          accountId,
          awaited: { by: 'a process that died', untilMs: nowMs - 1 },
        },
        { leasedBy: 'a process that died', leasedUntilMs: nowMs - 1, nowMs },
      ),
    ])
    await untilStatus(account, id, 'cancelled')

    assert.deepEqual(held.heldAt('/orphan'), [])
  })
})

test('a caller who disconnects is not logged as an error', async (t) => {
  const { promise: isWaiting, resolve: begin } = Promise.withResolvers<void>()
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const waiting = defineRoute('service', {
    operationId: 'scheduled',
    request: 'GET /waiting',
    summary: 'For tests',
    response: { status: 200, description: 'Never.', body: z.object({}) },
    handle: ({ disconnected }) =>
      new Promise((_, reject) => {
        begin()
        disconnected.addEventListener('abort', () => {
          reject(disconnected.reason)
          setImmediate(end)
        })
      }),
  })
  const { app, logged } = createTestApp(t, { routes: [waiting] })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const controller = new AbortController()
  const answered = fetch(`${url}/waiting`, { signal: controller.signal }).catch(() => undefined)
  await isWaiting

  controller.abort()
  await answered
  await isOver

  assert.deepEqual(
    logged.filter(({ msg }) => msg === 'request failed'),
    [],
  )
})

test('a request body that is cut off is not logged as an error', async (t) => {
  const { app, logged } = createTestApp(t, { routes: [taking] })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const head = ['POST /taking HTTP/1.1', 'host: x', 'content-type: application/json']

  const arrived = once(app.server, 'request')
  socket.write(`${[...head, 'content-length: 100'].join('\r\n')}\r\n\r\n{"a":`)
  const [request] = await arrived
  socket.destroy()
  await new Promise((resolve) => request.once('close', resolve))
  await new Promise((resolve) => setImmediate(resolve))

  assert.deepEqual(
    logged.filter(({ msg }) => msg === 'request failed'),
    [],
  )
})

const taking = defineRoute('service', {
  operationId: 'taking',
  request: 'POST /taking',
  summary: 'For tests',
  body: z.object({}),
  response: { status: 200, description: 'Taken.', body: z.object({}) },
  handle: () => ({}),
})
