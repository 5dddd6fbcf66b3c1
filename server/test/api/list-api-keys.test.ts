import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basicOf, callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

onBothStores((kind, start) => {
  test(`${kind}: listing API keys`, async (t) => {
    const { url, createAccount } = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const account = await createAccount()
    const { id } = (await account.call('POST /v1/keys', { name: 'nightly' })).json()
    const list = async () => (await account.call('GET /v1/keys')).json().keys

    await t.test('keys are listed oldest first, by their first characters only', async () => {
      await account.call('GET /v1/statistics')
      await until(async () => (await list())[0].last_used_at !== null)
      const [first, second, ...others] = await list()

      assert.deepEqual(others, [])
      assert.equal(first.name, '')
      assert.equal(first.prefix, account.apiKey.slice(0, 10))
      const { prefix, created_at, ...rest } = second
      assert.match(prefix, /^trawl_.{4}$/)
      assert.match(created_at, /Z$/)
      assert.deepEqual(rest, { id, name: 'nightly', last_used_at: null })
    })

    await t.test('a key opens no route of keys, only the password does', async () => {
      const headers = { 'x-api-key': account.apiKey }
      for (const request of ['GET /v1/keys', 'POST /v1/keys', `DELETE /v1/keys/${id}`]) {
        const body = request.startsWith('POST') ? {} : undefined
        assertFailure(await callApi(url, request, { headers, body }), 'UNAUTHORIZED')
        const bearer = { authorization: `Bearer ${account.apiKey}` }
        assertFailure(await callApi(url, request, { headers: bearer, body }), 'UNAUTHORIZED')
      }
      const both = { ...headers, authorization: basicOf(account.username, account.password) }
      assert.equal((await callApi(url, 'GET /v1/keys', { headers: both })).statusCode, 200)
    })
  })
})
