/** `batch_completed` and the callback of a batch: one each per end. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import {
  batchPath,
  getBatch,
  submitBatch,
  untilBatch,
  untilBatchEnded,
} from '../support/batch-calls.ts'
import { arrivedAt, startDeliveryScene } from '../support/delivery-scene.ts'
import { once } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { callbackPath } from '../support/scrape-calls.ts'
import { respondWith } from '../support/test-receiver.ts'
import { tierStoreKinds } from '../support/test-store.ts'

for (const kind of tierStoreKinds) {
  test(`${kind}: the events of a batch`, async (t) => {
    const { site, createClient } = await startDeliveryScene(t, { kind })
    const held = await startHoldingSite(t)

    await t.test('a completed batch has one event with the batch without contents', async (t) => {
      const { account, receiver, subscribe, deliveries } = await createClient(t)
      const { id } = await subscribe({ event_type: 'batch_completed' })
      const single = await subscribe({ path: '/single', event_type: 'extract_completed' })
      const urls = [site.url('/page/one'), 'nonsense', site.url('/reset')]

      const { job_id } = await submitBatch(account, { urls, ...once })
      const { delivery, ...job } = await untilBatchEnded(account, job_id)

      const [stored, ...others] = await deliveries(id)
      assert.deepEqual([stored?.job_id, stored?.event_type], [job_id, 'batch_completed'])
      assert.deepEqual(others, [])
      const [event] = await receiver.arrivals(1, '/hook')
      const results = job.results.map((one) => ({ ...one, data: null, metadata: null }))
      assert.deepEqual(event?.json, {
        event: 'batch_completed',
        webhook_id: id,
        delivery_id: stored?.id,
        timestamp: job.completed_at,
        data: { ...job, results },
      })
      assert.deepEqual(
        [event?.headers['x-webhook-event'], event?.headers['x-webhook-delivery-id']],
        ['batch_completed', stored?.id],
      )
      assert.equal(delivery, null)
      assert.deepEqual(await deliveries(single.id), [])
      assert.deepEqual(arrivedAt(receiver, '/single'), [])
    })

    await t.test('its callback is signed with the secret of the account', async (t) => {
      const { account, receiver } = await createClient(t)
      const callback_url = `${receiver.url}/callback`

      const { job_id } = await submitBatch(account, { urls: [site.url('/')], callback_url })

      const [event] = await receiver.arrivals(1, '/callback')
      const { webhook_id, event: name, delivery_id, data } = event?.json ?? {}
      assert.deepEqual([webhook_id, name, data.job_id], [null, 'batch_completed', job_id])
      const { headers, body } = event ?? assert.fail()
      assert.equal(headers['webhook-id'], delivery_id)
      const signed = `${delivery_id}.${headers['webhook-timestamp']}.${body}`
      const key = Buffer.from(account.callbackSecret.replace('whsec_', ''), 'base64')
      const signature = createHmac('sha256', key).update(signed).digest('base64')
      assert.equal(headers['webhook-signature'], `v1,${signature}`)
      const { delivery } = await untilBatch(
        account,
        job_id,
        (job) => job.delivery?.status === 'delivered',
      )
      assert.deepEqual([delivery?.attempts, delivery?.lastStatusCode], [1, 200])
      assert.equal(arrivedAt(receiver, '/callback').length, 1)
    })

    await t.test('a callback that fails is tried again with the same id', async (t) => {
      const { account, receiver } = await createClient(t)
      receiver.behave(respondWith(500))
      const callback_url = `${receiver.url}/callback`

      const { job_id } = await submitBatch(account, { urls: [site.url('/')], callback_url })

      const { delivery } = await untilBatch(
        account,
        job_id,
        (job) => job.delivery?.status === 'failed',
      )
      assert.deepEqual([delivery?.attempts, delivery?.lastStatusCode], [3, 500])
      const ids = arrivedAt(receiver, '/callback').map(({ json }) => json.delivery_id)
      assert.deepEqual([ids.length, new Set(ids).size], [3, 1])
    })

    await t.test('a callback is pending from the start on', async (t) => {
      const { account, receiver } = await createClient(t)
      const callback_url = `${receiver.url}/callback`
      const { job_id } = await submitBatch(account, { urls: [held.url('/pending')], callback_url })
      const request = await held.untilHeld('/pending')
      assert.deepEqual((await getBatch(account, job_id)).delivery, {
        status: 'pending',
        attempts: 0,
        nextAttemptAt: null,
        lastStatusCode: null,
        lastError: null,
        deliveredAt: null,
      })
      request.answer()
      await receiver.arrivals(1)
    })

    await t.test('a cancelled and a failed batch have their event, too', async (t) => {
      const { account, receiver, subscribe, deliveries } = await createClient(t)
      const { id } = await subscribe({ event_type: 'batch_completed' })
      const first = await submitBatch(account, { urls: [held.url('/first')] })
      const request = await held.untilHeld('/first')
      await account.call(`DELETE ${batchPath}/${first.job_id}`)
      assert.deepEqual(await deliveries(id), [])
      request.answer()
      await untilBatchEnded(account, first.job_id)
      const second = await submitBatch(account, { urls: [held.url('/second')] })
      await held.untilHeld('/second')
      const page = (await getBatch(account, second.job_id)).results[0]
      await account.call(`DELETE ${callbackPath}/${page?.task_id}`)
      await untilBatchEnded(account, second.job_id)

      const events = await receiver.arrivals(2, '/hook')

      assert.deepEqual(
        new Map(events.map(({ json }) => [json.data.job_id, json.data.status])),
        new Map([
          [first.job_id, 'cancelled'],
          [second.job_id, 'failed'],
        ]),
      )
      assert.equal((await deliveries(id)).length, 2)
    })

    await t.test('an event that comes late tells the end it was written for', async (t) => {
      const { account, receiver, subscribe, untilDeliveries } = await createClient(t)
      const { id } = await subscribe({ event_type: 'batch_completed' })
      const pages = await startPageSite(t)
      let isBroken = true
      // Held the second time.
      pages.page('/', (request) => void (isBroken && request.socket.resetAndDestroy()))
      const { job_id } = await submitBatch(account, { urls: [pages.url('/')], ...once })
      const [sent] = await untilDeliveries(id, ([one]) => one?.status === 'delivered')
      isBroken = false
      await account.call(`POST ${batchPath}/${job_id}/retry-failed`)
      assert.equal((await getBatch(account, job_id)).status, 'processing')

      await account.call(`POST /v1/webhooks/${id}/deliveries/${sent?.id}/redeliver`)

      const [first, late] = await receiver.arrivals(2, '/hook')
      const { data, ...envelope } = late?.json ?? {}
      assert.deepEqual({ ...envelope, data: first?.json.data }, first?.json)
      assert.deepEqual([data.job_id, data.status], [job_id, 'completed'])
      assert.ok(data.result_url.endsWith(`${batchPath}/${job_id}`))
      assert.equal(data.results, undefined)
    })

    await t.test('an event can be sent again, and missed ones recovered', async (t) => {
      const { account, receiver, subscribe, deliveries, untilDeliveries, patch } =
        await createClient(t)
      const { id } = await subscribe({ event_type: 'batch_completed' })
      const first = await submitBatch(account, { urls: [site.url('/')] })
      const [sent] = await untilDeliveries(id, ([one]) => one?.status === 'delivered')

      const again = await account.call(`POST /v1/webhooks/${id}/deliveries/${sent?.id}/redeliver`)

      assert.equal(again.statusCode, 202)
      const [one, two] = await receiver.arrivals(2, '/hook')
      assert.deepEqual(two?.json, one?.json)
      await patch(id, { is_active: false })
      const second = await submitBatch(account, { urls: [site.url('/')] })
      await untilBatchEnded(account, second.job_id)
      assert.deepEqual(
        (await deliveries(id)).map(({ job_id, status }) => [job_id, status]),
        [
          [second.job_id, 'skipped'],
          [first.job_id, 'delivered'],
        ],
      )
      await patch(id, { is_active: true })
      const since = new Date(0).toISOString()
      const recovered = await account.call(`POST /v1/webhooks/${id}/recover`, { since })
      assert.ok([200, 202].includes(recovered.statusCode))
      const [, , missed] = await receiver.arrivals(3, '/hook')
      assert.equal(missed?.json.data.job_id, second.job_id)
    })
  })
}
