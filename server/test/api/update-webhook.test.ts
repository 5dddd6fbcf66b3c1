import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'

const good = {
  url: 'https://hooks.example/in',
  event_type: 'extract_completed',
  description: 'orders',
}
const missingId = '01a1def5-68ae-7e29-9849-4f82ca93e413'

async function createWebhook(account: TestAccount) {
  const { secret, ...webhook } = (await account.call('POST /v1/webhooks', good)).json()
  return { webhook, path: `/v1/webhooks/${webhook.id}` }
}

const changes: Record<string, unknown>[] = [
  { url: 'https://other.example/in' },
  { event_type: 'crawl_completed' },
  { description: 'all orders' },
  { description: '' },
  { is_active: false },
  { is_active: true },
  { url: 'http://127.0.0.1:9999/', description: 'local', is_active: false },
]

const badBodies: [body: unknown, ...faults: string[]][] = [
  [undefined, 'body missing'],
  ['{', 'body.1 json_invalid'],
  [[], 'body dict_type'],
  [{ url: 'x', is_active: 'yes' }, 'body.url url_parsing', 'body.is_active bool_type'],
  [{ is_active: 0 }, 'body.is_active bool_type'],
  [{ event_type: 'other' }, 'body.event_type literal_error'],
  [{ description: 'x'.repeat(256) }, 'body.description string_too_long'],
  [{ description: '\ud83d' }, 'body.description string_unicode'],
]

onBothStores((kind, start) => {
  test(`${kind}: updating a webhook`, async (t) => {
    const { url, createAccount } = await start(t)
    const account = await createAccount()

    await t.test('updating changes the given fields and keeps the rest', async () => {
      const { webhook, path } = await createWebhook(account)
      let expected = webhook

      for (const change of changes) {
        const answer = await account.call(`PATCH ${path}`, change)
        const { updated_at, ...rest } = answer.json()
        assert.equal(answer.statusCode, 200)
        expected = { ...expected, ...change, updated_at }
        assert.deepEqual({ ...rest, updated_at }, expected)
        assert.ok(updated_at >= webhook.updated_at)
      }
      assert.deepEqual((await account.call(`GET ${path}`)).json(), expected)
    })

    await t.test('null fields and unknown keys change nothing', async () => {
      const { webhook, path } = await createWebhook(account)

      const answer = await account.call(`PATCH ${path}`, {
        url: null,
        event_type: null,
        description: null,
        is_active: null,
        id: missingId,
        secret: 'whsec_mine',
        created_at: '2020-01-01T00:00:00.000Z',
      })
      const empty = await account.call(`PATCH ${path}`, {})

      assert.equal(empty.statusCode, 200)
      const { updated_at } = answer.json()
      assert.deepEqual(answer.json(), { ...webhook, updated_at })
    })

    await t.test('updating with invalid input gets 422 and changes nothing', async () => {
      const { webhook, path } = await createWebhook(account)

      for (const [body, ...faults] of badBodies) {
        assert.deepEqual(faultsIn(await account.call(`PATCH ${path}`, body)), faults)
      }
      const both = await account.call('PATCH /v1/webhooks/x', { is_active: 1 })
      assert.deepEqual(faultsIn(both), ['path.webhook_id uuid_parsing', 'body.is_active bool_type'])
      assert.deepEqual((await account.call(`GET ${path}`)).json(), webhook)
    })

    await t.test('updating to a URL that the egress guard refuses gets 422', async () => {
      const { webhook, path } = await createWebhook(account)

      for (const forbidden of ['http://10.0.0.1/', 'http://169.254.169.254/', 'http://db:5432/']) {
        const answer = await account.call(`PATCH ${path}`, { url: forbidden, description: 'x' })
        assertFailure(answer, 'URL_NOT_ALLOWED')
      }
      assert.deepEqual((await account.call(`GET ${path}`)).json(), webhook)
    })

    await t.test('updating a webhook without credentials gets 401', async () => {
      const { path } = await createWebhook(account)

      assertFailure(await callApi(url, `PATCH ${path}`, { body: {} }), 'UNAUTHORIZED')
    })

    await t.test('updating an unknown webhook id gets 404', async () => {
      const answer = await account.call(`PATCH /v1/webhooks/${missingId}`, { is_active: false })

      assertFailure(answer, 'NOT_FOUND')
    })
  })
})
