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

    await t.test('204: it is gone, and so are its secrets; the others stay', async () => {
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

    await t.test('401: nobody in particular, and nothing is deleted', async () => {
      const id = await create()

      assertFailure(await callApi(url, `DELETE /v1/webhooks/${id}`), 'UNAUTHORIZED')
      assert.equal((await account.call(`GET /v1/webhooks/${id}`)).statusCode, 200)
    })

    await t.test('404: the second time, and an id that no webhook has', async () => {
      const id = await create()
      await account.call(`DELETE /v1/webhooks/${id}`)

      assertFailure(await account.call(`DELETE /v1/webhooks/${id}`), 'NOT_FOUND')
      assertFailure(
        await account.call('DELETE /v1/webhooks/11111111-1111-1111-1111-111111111111'),
        'NOT_FOUND',
      )
    })

    await t.test('422: an id that is no UUID', async () => {
      const answer = await account.call('DELETE /v1/webhooks/all')

      assert.deepEqual(faultsIn(answer), ['path.webhook_id uuid_parsing'])
    })
  })
})
