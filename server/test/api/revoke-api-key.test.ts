import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

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
})
