import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

const good = { url: 'https://hooks.example/in', event_type: 'extract_completed' }

onBothStores((kind, start) => {
  test(`${kind}: deleting a webhook`, async (t) => {
    const { url, createAccount, openBeside } = await start(t)
    const account = await createAccount()
    const create = async () => (await account.call('POST /v1/webhooks', good)).json().id

    await t.test('deleting a webhook gets 204 and removes only it and its secrets', async () => {
      const [id, other] = [await create(), await create()]
      await account.call(`POST /v1/webhooks/${id}/rotate-secret`)

      const answer = await account.call(`DELETE /v1/webhooks/${id}`)

      assert.equal(answer.statusCode, 204)
      assert.equal(answer.text, '')
      assert.equal(answer.headers['content-type'], undefined)
      assertFailure(await account.call(`GET /v1/webhooks/${id}`), 'NOT_FOUND')
      assert.equal((await account.call(`GET /v1/webhooks/${other}`)).statusCode, 200)
      const { db } = await openBeside()
      const secrets = await db.run(sql<{ webhook_id: string }>`
        select webhook_id from signing_secrets where webhook_id in (${id}, ${other})`)
      assert.deepEqual(secrets, [{ webhook_id: other }])
    })

    await t.test('deleting a webhook without credentials gets 401, deletes none', async () => {
      const id = await create()

      assertFailure(await callApi(url, `DELETE /v1/webhooks/${id}`), 'UNAUTHORIZED')
      assert.equal((await account.call(`GET /v1/webhooks/${id}`)).statusCode, 200)
    })

    await t.test('deleting a webhook twice, or an unknown id, gets 404', async () => {
      const id = await create()
      await account.call(`DELETE /v1/webhooks/${id}`)

      assertFailure(await account.call(`DELETE /v1/webhooks/${id}`), 'NOT_FOUND')
      assertFailure(
        await account.call('DELETE /v1/webhooks/11111111-1111-1111-1111-111111111111'),
        'NOT_FOUND',
      )
    })

    await t.test('deleting with an id that is not a UUID gets 422', async () => {
      const answer = await account.call('DELETE /v1/webhooks/all')

      assert.deepEqual(faultsIn(answer), ['path.webhook_id uuid_parsing'])
    })
  })
})
