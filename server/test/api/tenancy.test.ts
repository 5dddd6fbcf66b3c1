import assert from 'node:assert/strict'
import { test } from 'node:test'
import { families } from '../../src/http/family.ts'
import { routes } from '../../src/http/routes.ts'
import { sql } from '../../src/storage/statement.ts'
import { type ApiAnswer, callApi } from '../support/call-api.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'

/** What one account has and another asks for. */
interface Things {
  ip: string
  webhookId: string
}

type Call = [request: string, body?: unknown]

const ipsPath = '/api/configuration/active/whitelisted-ips'
const newWebhook = { url: 'https://hooks.example/in', event_type: 'extract_completed' }

/** How each route asks for a thing. A route that is missing here fails the first test below. */
const asks: Record<string, (things: Things) => Call> = {
  listWhitelistedIps: () => [`GET ${ipsPath}`],
  addWhitelistedIps: ({ ip }) => [`POST ${ipsPath}`, { ips: [{ ip }] }],
  updateWhitelistedIp: ({ ip }) => [`PUT ${ipsPath}`, { ip, description: 'mine now' }],
  removeWhitelistedIps: ({ ip }) => [`DELETE ${ipsPath}`, { ips: [{ ip }] }],
  listWebhooks: () => ['GET /v1/webhooks'],
  createWebhook: () => ['POST /v1/webhooks', newWebhook],
  getWebhook: ({ webhookId }) => [`GET /v1/webhooks/${webhookId}`],
  updateWebhook: ({ webhookId }) => [`PATCH /v1/webhooks/${webhookId}`, { is_active: false }],
  deleteWebhook: ({ webhookId }) => [`DELETE /v1/webhooks/${webhookId}`],
  rotateWebhookSecret: ({ webhookId }) => [`POST /v1/webhooks/${webhookId}/rotate-secret`],
  listWebhookDeliveries: ({ webhookId }) => [`GET /v1/webhooks/${webhookId}/deliveries`],
}

const guarded = routes.filter(({ family }) => families[family].admission !== undefined)

test('every route that needs credentials is walked', () => {
  assert.deepEqual(Object.keys(asks).sort(), guarded.map(({ operationId }) => operationId).sort())
})

/** What differs each time by its nature; the thing asked for is in no answer but a list's own. */
const generated = new Set([
  '_id',
  'id',
  'ip',
  'secret',
  'correlation_id',
  'created_at',
  'updated_at',
])

const comparable = ({ statusCode, text }: ApiAnswer): unknown => ({
  statusCode,
  body: text && JSON.parse(text, (key, value) => (generated.has(key) ? typeof value : value)),
})

onBothStores((kind, start) => {
  test(`${kind}: what another account has is as good as missing, on every route`, async (t) => {
    const { url, createAccount, openBeside } = await start(t)
    const owner = await createAccount()
    const { db } = await openBeside()
    const things = { ip: '192.0.2.1', webhookId: await createThings(owner, '192.0.2.1') }
    const missing = { ip: '192.0.2.99', webhookId: '01a1def5-68ae-7e29-9849-4f82ca93e413' }
    const before = await stateOf(owner)

    for (const { operationId } of guarded) {
      await t.test(operationId, async () => {
        const ask = asks[operationId]
        assert(ask)
        // Each in the same state, so that only the thing asked for differs.
        const [stranger, control] = [await createAccount(), await createAccount()]

        const foreign = await stranger.call(...ask(things))
        const absent = await control.call(...ask(missing))
        const [request, body] = ask(things)
        const nobody = await callApi(url, request, { body })

        assert.deepEqual(comparable(foreign), comparable(absent))
        assert.equal(nobody.statusCode, 401)
        assert.deepEqual(await stateOf(owner), before)
      })
    }

    /** All that an account has, secrets included. */
    async function stateOf(account: TestAccount): Promise<unknown> {
      const [{ text: ips }, { text: webhooks }, secrets] = await Promise.all([
        account.call(`GET ${ipsPath}`),
        account.call('GET /v1/webhooks'),
        db.run(sql`
          select signing_secrets.id, sealed, expires_at_ms
          from signing_secrets join accounts on accounts.id = signing_secrets.account_id
          where accounts.username = ${account.username}
          order by signing_secrets.id`),
      ])
      return { ips, webhooks, secrets }
    }
  })
})

async function createThings(account: TestAccount, ip: string): Promise<string> {
  await account.call(`POST ${ipsPath}`, { ips: [{ ip, description: 'mine' }] })
  return (await account.call('POST /v1/webhooks', newWebhook)).json().id
}
