import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

const good = { url: 'https://hooks.example/in', event_type: 'batch_completed' }

onBothStores((kind, start) => {
  test(`${kind}: getting a webhook`, async (t) => {
    const { url, createAccount } = await start(t)
    const account = await createAccount()
    const { secret, ...webhook } = (await account.call('POST /v1/webhooks', good)).json()

    await t.test('getting a webhook returns it as created, without its secret', async () => {
      const answer = await account.call(`GET /v1/webhooks/${webhook.id}`)

      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), webhook)
    })

    await t.test('a webhook is found by its id in upper case', async () => {
      const answer = await account.call(`GET /v1/webhooks/${webhook.id.toUpperCase()}`)

      assert.deepEqual(answer.json(), webhook)
    })

    await t.test('getting a webhook without credentials gets 401', async () => {
      assertFailure(await callApi(url, `GET /v1/webhooks/${webhook.id}`), 'UNAUTHORIZED')
    })

    await t.test('getting an unknown webhook id gets 404, for any UUID version', async () => {
      const ids = [
        '01a1def5-68ae-7e29-9849-4f82ca93e413',
        '11111111-1111-1111-1111-111111111111',
        '00000000-0000-0000-0000-000000000000',
      ]
      for (const id of ids) {
        const { message } = assertFailure(await account.call(`GET /v1/webhooks/${id}`), 'NOT_FOUND')
        assert.equal(message, 'There is no such webhook.')
      }
    })

    await t.test('getting a webhook by an id that is not a UUID gets 422', async () => {
      for (const id of ['1', 'x'.repeat(36), `${webhook.id}0`, `{${webhook.id}}`, '%00', '..%2F']) {
        const answer = await account.call(`GET /v1/webhooks/${id}`)
        assert.deepEqual(faultsIn(answer), ['path.webhook_id uuid_parsing'], id)
      }
    })
  })
})
