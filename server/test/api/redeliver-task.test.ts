import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import {
  callbackPath,
  getStatus,
  reachingLoopback,
  scrapeNow,
  submitTask,
  unknownIds,
  untilDelivery,
  untilStatus,
  untilTask,
} from '../support/scrape-calls.ts'
import { respondWith, startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

onBothStores((kind, start) => {
  test(`${kind}: redelivering a callback`, async (t) => {
    const site = await startTestSite(t)
    const receiver = await startTestReceiver(t)
    const environment = { ...reachingLoopback, TRAWL_DELIVERY_SCHEDULE: '0s,1h' }
    const { url, createAccount } = await start(t, { environment })
    const account = await createAccount()
    const redeliver = (id: string) => account.call(`POST ${callbackPath}/${id}/redeliver`)

    await t.test('redelivery gets 202 and sends the same message with the same id', async () => {
      const callbackUrl = `${receiver.url}/again`
      const id = await submitTask(account, { url: site.url('/page/cod'), callbackUrl })
      await untilDelivery(account, id, 'delivered')

      const answer = await redeliver(id)
      const [first, second] = await receiver.arrivals(2, '/again')
      const { delivery } = await untilTask(account, id, (task) => task.delivery?.attempts === 2)

      assert.equal(answer.statusCode, 202)
      assert.equal(answer.json().requestId, id)
      assert.deepEqual(second?.json, first?.json)
      assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
      assert.equal(delivery?.status, 'delivered')
    })

    await t.test('a pending callback whose redelivery succeeds is delivered', async () => {
      const refusing = await startTestReceiver(t)
      refusing.behave(respondWith(500))
      const id = await submitTask(account, { url: site.url('/'), callbackUrl: refusing.url })
      await untilTask(account, id, ({ delivery }) => delivery?.attempts === 1)

      refusing.behave(respondWith(204))
      await redeliver(id)
      const { delivery } = await untilDelivery(account, id, 'delivered')

      assert.equal(delivery?.attempts, 2)
      assert.equal(delivery?.lastStatusCode, 204)
      assert.equal(delivery?.nextAttemptAt, null)
    })

    await t.test('a pending callback whose redelivery fails keeps its schedule', async () => {
      const refusing = await startTestReceiver(t)
      refusing.behave(respondWith(500))
      const id = await submitTask(account, { url: site.url('/'), callbackUrl: refusing.url })
      const before = await untilTask(account, id, ({ delivery }) => delivery?.attempts === 1)

      refusing.behave(respondWith(503))
      await redeliver(id)
      const { delivery } = await untilTask(account, id, (task) => task.delivery?.attempts === 2)

      assert.equal(delivery?.status, 'pending')
      assert.equal(delivery?.lastStatusCode, 503)
      assert.equal(delivery?.nextAttemptAt, before.delivery?.nextAttemptAt)
    })

    await t.test('a failed callback whose redelivery succeeds is delivered', async () => {
      const refusing = await startTestReceiver(t)
      refusing.behave(respondWith(410))
      const id = await submitTask(account, { url: site.url('/'), callbackUrl: refusing.url })
      await untilDelivery(account, id, 'failed')

      refusing.behave(respondWith(200))
      await redeliver(id)
      const { delivery } = await untilDelivery(account, id, 'delivered')

      assert.equal(delivery?.attempts, 2)
      assert.notEqual(delivery?.deliveredAt, null)
    })

    await t.test('redelivering a task that is not over or was cancelled gets 409', async () => {
      const id = await submitTask(account, { url: site.url('/silent') })
      assertFailure(await redeliver(id), 'CONFLICT')

      await account.call(`DELETE ${callbackPath}/${id}`)

      assertFailure(await redeliver(id), 'CONFLICT')
      assert.equal((await getStatus(account, id)).delivery?.status, 'skipped')
    })

    await t.test('redelivering a failure that the caller did not want gets 409', async () => {
      const retries = { useRetries: false }
      const failing = { url: site.url('/reset'), configurations: { retries } }
      const id = await submitTask(account, { ...failing, callback_on_failure: false })
      await untilStatus(account, id, 'failed')

      assertFailure(await redeliver(id), 'CONFLICT')
    })

    await t.test('redelivering a realtime task gets 409', async () => {
      const { headers } = await scrapeNow(account, { url: site.url('/') })

      assertFailure(await redeliver(headers['x-request-id'] ?? ''), 'CONFLICT')
    })

    await t.test('redelivering without credentials gets 401', async () => {
      const path = `${callbackPath}/${unknownIds[0]}/redeliver`

      assertFailure(await callApi(url, `POST ${path}`), 'UNAUTHORIZED')
    })

    await t.test('redelivering an unknown task id gets 404', async () => {
      for (const id of unknownIds) assertFailure(await redeliver(id), 'NOT_FOUND')
    })
  })
})
