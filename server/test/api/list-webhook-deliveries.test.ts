import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

const good = { url: 'https://hooks.example/in', event_type: 'extract_completed' }

onBothStores((kind, start) => {
  test(`${kind}: listing the deliveries of a webhook`, async (t) => {
    const { url, createAccount } = await start(t)
    const account = await createAccount()
    const { id } = (await account.call('POST /v1/webhooks', good)).json()
    const path = `/v1/webhooks/${id}/deliveries`

    await t.test('200: nothing was sent yet', async () => {
      const answer = await account.call(`GET ${path}?page=3&page_size=5&status=failed`)

      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), { items: [], page: 3, page_size: 5, page_count: 0 })
    })

    await t.test('200: every status can be asked for', async () => {
      for (const status of ['pending', 'delivered', 'failed', 'skipped']) {
        assert.equal((await account.call(`GET ${path}?status=${status}`)).statusCode, 200)
      }
    })

    await t.test('401: nobody in particular', async () => {
      assertFailure(await callApi(url, `GET ${path}`), 'UNAUTHORIZED')
    })

    await t.test('404: an id that no webhook has', async () => {
      const missing = '/v1/webhooks/11111111-1111-1111-1111-111111111111/deliveries'

      assertFailure(await account.call(`GET ${missing}`), 'NOT_FOUND')
    })

    await t.test('422: a page or status that cannot be, and an id that is no UUID', async () => {
      const answer = await account.call('GET /v1/webhooks/x/deliveries?page=0&status=lost')

      assert.deepEqual(faultsIn(answer), [
        'path.webhook_id uuid_parsing',
        'query.page greater_than_equal',
        'query.status literal_error',
      ])
    })
  })
})
