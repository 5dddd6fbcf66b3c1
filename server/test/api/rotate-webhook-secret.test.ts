import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountStore } from '../../src/accounts/accounts.ts'
import { sql } from '../../src/storage/statement.ts'
import { findAccountByUsername } from '../../src/storage/tables/accounts.ts'
import { listSigningSecrets } from '../../src/storage/tables/signing-secrets.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'

const good = { url: 'https://hooks.example/in', event_type: 'extract_completed' }
const hourMs = 3_600_000

/** The secrets that a delivery would be signed with that much later, in clear. */
async function secretsLater(
  { db, sealer }: AccountStore,
  { username, webhookId }: { username: string; webhookId: string | undefined },
  afterMs: number,
): Promise<string[]> {
  const [account] = await db.run(findAccountByUsername(username))
  const accountId = account?.id ?? ''
  const nowMs = db.nowMs() + afterMs
  const secrets = await db.run(listSigningSecrets({ accountId, webhookId }))
  return secrets
    .filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs)
    .map(({ id, sealed }) => sealer.open(sealed, `signing_secrets ${id} ${accountId}`))
}

onBothStores((kind, start) => {
  test(`${kind}: rotating the secret of a webhook`, async (t) => {
    const { url, createAccount, openBeside } = await start(t)
    const account: TestAccount = await createAccount()
    const create = async () => (await account.call('POST /v1/webhooks', good)).json()

    await t.test('rotating returns 200 with a new secret and nothing else', async () => {
      const { id, secret } = await create()

      const answer = await account.call(`POST /v1/webhooks/${id}/rotate-secret`)

      assert.equal(answer.statusCode, 200)
      assert.deepEqual(Object.keys(answer.json()), ['secret'])
      assert.match(answer.json().secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.notEqual(answer.json().secret, secret)
      const shown = await account.call(`GET /v1/webhooks/${id}`)
      assert.doesNotMatch(shown.text, /secret|whsec/)
    })

    await t.test('the previous secret signs beside the new one for 24 hours', async () => {
      const { id: webhookId, secret: first } = await create()
      const other = await create()
      const store = await openBeside()
      const owner = { username: account.username, webhookId }

      const rotated = await account.call(`POST /v1/webhooks/${webhookId}/rotate-secret`, {})
      const { secret: second } = rotated.json()

      assert.deepEqual(await secretsLater(store, owner, 23 * hourMs), [second, first])
      assert.deepEqual(await secretsLater(store, owner, 25 * hourMs), [second])
      assert.deepEqual(await secretsLater(store, { ...owner, webhookId: other.id }, 25 * hourMs), [
        other.secret,
      ])
      assert.deepEqual(await secretsLater(store, { ...owner, webhookId: undefined }, 25 * hourMs), [
        account.callbackSecret,
      ])
    })

    await t.test('rotating again does not prolong an expiring secret', async () => {
      const { id } = await create()
      const { db } = await openBeside()
      const expiries = async () =>
        await db.run(sql<{ expires_at_ms: number | null }>`
          select expires_at_ms from signing_secrets where webhook_id = ${id} order by id`)
      await account.call(`POST /v1/webhooks/${id}/rotate-secret`)
      const [first] = await expiries()

      await account.call(`POST /v1/webhooks/${id}/rotate-secret`)

      const [firstLater, second, third] = await expiries()
      assert.deepEqual(firstLater, first)
      assert.ok(Number(second?.expires_at_ms) >= Number(first?.expires_at_ms))
      assert.equal(third?.expires_at_ms, null)
    })

    await t.test(
      'the newest secret and the two before it sign, however many there were',
      async () => {
        const { id: webhookId } = await create()
        const other = await create()
        const rotate = () => account.call(`POST /v1/webhooks/${webhookId}/rotate-secret`)
        const made: string[] = []
        for (let count = 0; count < 5; count += 1) made.unshift((await rotate()).json().secret)

        const store = await openBeside()
        const owner = { username: account.username, webhookId }
        assert.deepEqual(await secretsLater(store, owner, 0), made.slice(0, 3))
        assert.deepEqual(await secretsLater(store, { ...owner, webhookId: other.id }, 0), [
          other.secret,
        ])
      },
    )

    await t.test('of two concurrent rotations one secret is left after a day', async () => {
      const { id: webhookId } = await create()
      const rotate = () => account.call(`POST /v1/webhooks/${webhookId}/rotate-secret`)

      const answers = await Promise.all([rotate(), rotate(), rotate()])

      const owner = { username: account.username, webhookId }
      const left = await secretsLater(await openBeside(), owner, 25 * hourMs)
      assert.equal(left.length, 1)
      assert.ok(answers.some((answer) => answer.json().secret === left[0]))
    })

    await t.test('rotating a secret without credentials gets 401', async () => {
      const { id } = await create()

      assertFailure(await callApi(url, `POST /v1/webhooks/${id}/rotate-secret`), 'UNAUTHORIZED')
    })

    await t.test('rotating the secret of an unknown webhook id gets 404', async () => {
      const id = '11111111-1111-1111-1111-111111111111'

      assertFailure(await account.call(`POST /v1/webhooks/${id}/rotate-secret`), 'NOT_FOUND')
    })

    await t.test('rotating with an id that is not a UUID gets 422', async () => {
      const answer = await account.call('POST /v1/webhooks/mine/rotate-secret')

      assert.deepEqual(faultsIn(answer), ['path.webhook_id uuid_parsing'])
    })
  })
})
