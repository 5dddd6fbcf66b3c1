import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreatedApiKey } from '../../src/wire/keys/responses.ts'
import { callApi } from '../support/call-api.ts'
import { faultsIn } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, start) => {
  test(`${kind}: creating an API key`, async (t) => {
    const { url, createAccount } = await start(t, {
      environment: { TRAWL_ROLES: 'api' },
    })
    const account = await createAccount()
    const create = (body: unknown) => account.call('POST /v1/keys', body)

    await t.test('a new key works at once and is shown once', async () => {
      const response = await create({ name: 'Köln 🐟' })

      assert.equal(response.statusCode, 201, response.text)
      const { key, name } = CreatedApiKey.strict().parse(response.json())
      assert.equal(name, 'Köln 🐟')
      const used = await callApi(url, 'GET /v1/statistics', { headers: { 'x-api-key': key } })
      assert.equal(used.statusCode, 200)
      assert.ok(!(await account.call('GET /v1/keys')).text.includes(key))
    })

    await t.test('a name that cannot be stored is refused', async () => {
      const faultsOf = async (name: unknown) => faultsIn(await create({ name }))
      assert.deepEqual(await faultsOf('a\0b'), ['body.name string_unicode'])
      assert.deepEqual(await faultsOf('x'.repeat(101)), ['body.name string_too_long'])
      assert.deepEqual(await faultsOf(17), ['body.name string_type'])
    })
  })
})
