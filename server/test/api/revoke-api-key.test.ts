import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAccount } from '../../src/accounts/accounts.ts'
import { sortableId } from '../../src/runtime/sortable-id.ts'
import { sql } from '../../src/storage/statement.ts'
import { listApiKeys } from '../../src/storage/tables/api-keys.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

const revokedKey = (accountId: string, index: number) => sql<never>`
  insert into api_keys (id, account_id, digest, name, label, created_at_ms, revoked_at_ms)
  values (${sortableId()}, ${accountId}, ${sortableId()}, ${String(index)}, '', ${index}, ${index})`

onBothStores((kind, start) => {
  test(`${kind}: a revoked API key stops working at once and is listed no more`, async (t) => {
    const { url, createAccount } = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const account = await createAccount()
    const { id, key } = (await account.call('POST /v1/keys', {})).json()
    const use = () => callApi(url, 'GET /v1/statistics', { headers: { 'x-api-key': key } })
    assert.equal((await use()).statusCode, 200)

    const revoked = await account.call(`DELETE /v1/keys/${id}`)

    assert.equal(revoked.statusCode, 204)
    assertFailure(await use(), 'UNAUTHORIZED')
    assert.equal((await account.call('GET /v1/keys')).json().keys.length, 1)
    assertFailure(await account.call(`DELETE /v1/keys/${id}`), 'NOT_FOUND')
    assertFailure(await account.call('DELETE /v1/keys/nonsense'), 'VALIDATION_ERROR')
  })

  test(`${kind}: of the revoked keys of an account the store keeps the last hundred`, async (t) => {
    const { createAccount, openBeside } = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const [account, other] = [await createAccount(), await createAccount()]
    const { db } = await openBeside()
    const { id: accountId } = await getAccount(db, account.username)
    const { id: otherId } = await getAccount(db, other.username)
    await db.transaction([
      ...Array.from({ length: 150 }, (_, index) => revokedKey(accountId, index)),
      ...Array.from({ length: 150 }, (_, index) => revokedKey(otherId, index)),
    ])
    const { id } = (await account.call('POST /v1/keys', {})).json()

    await account.call(`DELETE /v1/keys/${id}`)

    const kept = (await db.run(listApiKeys(accountId))).filter((key) => key.revokedAtMs !== null)
    assert.deepEqual(
      kept.map((key) => key.name).sort(),
      ['', ...Array.from({ length: 99 }, (_, index) => `${index + 51}`)].sort(),
    )
    assert.equal((await db.run(listApiKeys(otherId))).length, 151)
  })
})
