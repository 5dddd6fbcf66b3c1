import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { startDeliveryScene } from '../support/delivery-scene.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { respondWith } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

const good = { url: 'https://hooks.example/in', event_type: 'extract_completed' }

onBothStores((kind, start) => {
  test(`${kind}: listing the deliveries of a new webhook`, async (t) => {
    const { url, createAccount } = await start(t)
    const account = await createAccount()
    const { id } = (await account.call('POST /v1/webhooks', good)).json()
    const path = `/v1/webhooks/${id}/deliveries`

    await t.test('a new webhook has no deliveries', async () => {
      const answer = await account.call(`GET ${path}?page=3&page_size=5&status=failed`)

      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), { items: [], page: 3, page_size: 5, page_count: 0 })
    })

    await t.test('deliveries can be filtered by every status', async () => {
      for (const status of ['pending', 'delivered', 'failed', 'skipped']) {
        assert.equal((await account.call(`GET ${path}?status=${status}`)).statusCode, 200)
      }
    })

    await t.test('listing deliveries without credentials gets 401', async () => {
      assertFailure(await callApi(url, `GET ${path}`), 'UNAUTHORIZED')
    })

    await t.test('listing the deliveries of an unknown webhook id gets 404', async () => {
      const missing = '/v1/webhooks/11111111-1111-1111-1111-111111111111/deliveries'

      assertFailure(await account.call(`GET ${missing}`), 'NOT_FOUND')
    })

    await t.test('an invalid page or status, or an id that is not a UUID, gets 422', async () => {
      const answer = await account.call('GET /v1/webhooks/x/deliveries?page=0&status=lost')

      assert.deepEqual(faultsIn(answer), [
        'path.webhook_id uuid_parsing',
        'query.page greater_than_equal',
        'query.status literal_error',
      ])
    })
  })

  test(`${kind}: listing the deliveries that were sent`, async (t) => {
    const scene = await startDeliveryScene(t, { kind })
    const { account, receiver, subscribe, scrapeNow, patch, ...client } =
      await scene.createClient(t)
    const { id } = await subscribe()
    await account.call(`POST /v1/webhooks/${id}/test`)
    const delivered = await scrapeNow()
    await client.untilDeliveries(id, ([one]) => one?.status === 'delivered')
    receiver.behave(respondWith(503))
    const failed = await scrapeNow()
    await client.untilDeliveries(id, ([one]) => one?.status === 'failed')
    await patch(id, { is_active: false })
    const skipped = await scrapeNow()
    await client.untilDeliveries(id, ([one]) => one?.status === 'skipped')

    await t.test('deliveries are listed newest first, one item each, without pings', async () => {
      const answer = await account.call(`GET /v1/webhooks/${id}/deliveries`)

      const { items, ...page } = answer.json()
      assert.deepEqual(page, { page: 1, page_size: 100, page_count: 1 })
      const shown = items.map((item: Record<string, unknown>) => ({
        ...item,
        id: typeof item['id'],
        created_at: typeof item['created_at'],
        delivered_at: item['delivered_at'] === null ? null : typeof item['delivered_at'],
      }))
      const common = { id: 'string', event_type: 'extract_completed', created_at: 'string' }
      const never = { delivered_at: null }
      assert.deepEqual(shown, [
        {
          ...common,
          ...never,
          job_id: skipped,
          attempt_number: 0,
          status: 'skipped',
          http_status: null,
        },
        {
          ...common,
          ...never,
          job_id: failed,
          attempt_number: 3,
          status: 'failed',
          http_status: 503,
        },
        {
          ...common,
          job_id: delivered,
          attempt_number: 1,
          status: 'delivered',
          http_status: 200,
          delivered_at: 'string',
        },
      ])
    })

    await t.test('a status filter lists only deliveries of that status', async () => {
      const answers = await Promise.all(
        ['delivered', 'failed', 'skipped', 'pending'].map((status) =>
          client.deliveries(id, `?status=${status}`),
        ),
      )

      assert.deepEqual(
        answers.map((items) => items.map(({ job_id }) => job_id)),
        [[delivered], [failed], [skipped], []],
      )
    })

    await t.test('deliveries are listed page by page', async () => {
      const pages = await Promise.all(
        [1, 2, 3].map((page) =>
          account.call(`GET /v1/webhooks/${id}/deliveries?page=${page}&page_size=2`),
        ),
      )

      assert.deepEqual(
        pages.map((answer) => answer.json().page_count),
        [2, 2, 2],
      )
      assert.deepEqual(
        pages.map((answer) => answer.json().items.map((one: { job_id: string }) => one.job_id)),
        [[skipped, failed], [delivered], []],
      )
    })

    await t.test("listing the deliveries of another account's webhook gets 404", async () => {
      const { account: stranger } = await scene.createClient(t)

      assertFailure(await stranger.call(`GET /v1/webhooks/${id}/deliveries`), 'NOT_FOUND')
    })
  })
})
