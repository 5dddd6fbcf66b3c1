import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { callApi } from '../support/call-api.ts'
import { startDeliveryScene } from '../support/delivery-scene.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { respondWith } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind) => {
  test(`${kind}: sending a test ping to a webhook`, async (t) => {
    const scene = await startDeliveryScene(t, { kind })
    const { account, receiver, subscribe, patch, deliveries } = await scene.createClient(t)
    const { id, secret } = await subscribe()
    const ping = () => account.call(`POST /v1/webhooks/${id}/test`)

    await t.test('a test ping is signed, arrives and is in no list', async () => {
      const answer = await ping()

      assert.equal(answer.statusCode, 200)
      const { duration_ms, ...outcome } = answer.json()
      assert.deepEqual(outcome, { delivered: true, http_status: 200, error: null })
      assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0)
      const [received] = await receiver.arrivals(1, '/hook')
      assert.ok(received)
      assert.deepEqual(received.json, {
        event: 'ping',
        webhook_id: id,
        delivery_id: received.headers['webhook-id'],
        timestamp: received.json.timestamp,
        data: {},
      })
      assert.ok(Math.abs(Date.parse(received.json.timestamp) - received.atMs) < 60_000)
      assert.equal(received.headers['x-webhook-event'], 'ping')
      assert.equal(received.headers['x-webhook-delivery-id'], received.json.delivery_id)
      new Verifier(secret).verify(received.body, received.headers as Record<string, string>)
      const expected = createHmac('sha256', secret).update(received.body).digest('hex')
      assert.equal(received.headers['x-webhook-signature'], `sha256=${expected}`)
      assert.deepEqual(await deliveries(id), [])
    })

    await t.test('each test ping has its own message id', async () => {
      const before = receiver.received.length

      await ping()
      await ping()

      const ids = receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])
      assert.equal(new Set(ids).size, 2)
    })

    await t.test('a test ping reports a failing receiver and is not retried', async () => {
      receiver.behave(respondWith(500))
      const before = receiver.received.length

      const { duration_ms, ...outcome } = (await ping()).json()

      assert.deepEqual(outcome, {
        delivered: false,
        http_status: 500,
        error: 'The receiver answered 500.',
      })
      assert.equal(receiver.received.length, before + 1)
    })

    await t.test('a test ping that gets 410 does not pause the webhook', async () => {
      receiver.behave(respondWith(410))

      const { delivered, http_status } = (await ping()).json()

      assert.deepEqual([delivered, http_status], [false, 410])
      assert.equal((await account.call(`GET /v1/webhooks/${id}`)).json().is_active, true)
    })

    await t.test('a paused webhook can be tested', async () => {
      receiver.behave(respondWith(204))
      await patch(id, { is_active: false })

      assert.equal((await ping()).json().http_status, 204)
    })

    await t.test('a test ping reports a connection closed without a response', async () => {
      receiver.behave((_received, response) => response.destroy())

      const { duration_ms, ...outcome } = (await ping()).json()

      assert.deepEqual(outcome, {
        delivered: false,
        http_status: null,
        error: 'The host could not be reached.',
      })
    })

    await t.test('a test ping without credentials gets 401', async () => {
      assertFailure(
        await callApi(scene.service.url, `POST /v1/webhooks/${id}/test`),
        'UNAUTHORIZED',
      )
    })

    await t.test("a test ping of an unknown webhook id or another account's gets 404", async () => {
      const { account: stranger } = await scene.createClient(t)
      const missing = '11111111-1111-1111-1111-111111111111'
      const before = receiver.received.length

      assertFailure(await account.call(`POST /v1/webhooks/${missing}/test`), 'NOT_FOUND')
      assertFailure(await stranger.call(`POST /v1/webhooks/${id}/test`), 'NOT_FOUND')
      assert.equal(receiver.received.length, before)
    })

    await t.test('a test ping with an id that is not a UUID gets 422', async () => {
      const answer = await account.call('POST /v1/webhooks/mine/test')

      assert.deepEqual(faultsIn(answer), ['path.webhook_id uuid_parsing'])
    })
  })
})
