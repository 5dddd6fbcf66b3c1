import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFirstAccount } from '../../src/accounts/accounts.ts'
import { loadConfig } from '../../src/config.ts'
import { startService } from '../../src/main.ts'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import { listAccounts } from '../../src/storage/tables/accounts.ts'
import { basicOf, callApi } from '../support/call-api.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, silentLog, tierStoreKinds } from '../support/test-store.ts'

for (const kind of tierStoreKinds) {
  const nameSets = [
    ['admin', 'admin', 'admin'],
    ['ada', 'bob', 'eve'],
  ]

  for (const names of nameSets) {
    test(`${kind}: concurrent first starts as ${names.join(', ')} create exactly one account`, async (t) => {
      const { place, open } = await createTestStore(t, kind)
      const services = await Promise.all(
        names.map(async (name) => {
          const environment = { ...serviceEnvironment(place), TRAWL_USERNAME: name }
          const service = await startService(
            loadConfig({}, environment, place.dataDir).config,
            silentLog,
          )
          t.after(() => service[Symbol.asyncDispose]())
          return service
        }),
      )

      const accounts = await (await open()).run(listAccounts())
      const [shown, ...others] = services.flatMap(({ credentials }) => credentials ?? [])

      assert.equal(accounts.length, 1)
      assert.equal(shown?.username, accounts[0]?.username)
      for (const other of others) assert.deepEqual(other, shown)
      for (const { url } of services) {
        const answer = await callApi(url, 'GET /v1/webhooks', {
          headers: { 'x-api-key': String(shown?.apiKey) },
        })
        assert.equal(answer.statusCode, 200)
      }
      if (kind === 'sqlite') {
        const path = join(place.dataDir, 'credentials.json')
        assert.equal(JSON.parse(readFileSync(path, 'utf8')).password, shown?.password)
        assert.equal(statSync(path).mode & 0o777, 0o600)
        assert.equal(statSync(join(place.dataDir, 'secret.key')).mode & 0o777, 0o600)
      }
    })
  }

  test(`${kind}: of many concurrent attempts to create the first account one succeeds`, async (t) => {
    const sealer = createSealer({ newest: Buffer.alloc(32, 1) })
    for (const round of [1, 2, 3, 4]) {
      const { open } = await createTestStore(t, kind)
      const stores = await Promise.all([open(), open(), open(), open()])

      const made = await Promise.all(
        stores.map((db, index) =>
          createFirstAccount({ db, sealer }, { username: round % 2 ? 'admin' : `admin-${index}` }),
        ),
      )

      const accounts = await (await open()).run(listAccounts())
      assert.equal(accounts.length, 1)
      assert.equal(made.filter((credentials) => credentials !== undefined).length, 1)
    }
  })

  test(`${kind}: configured credentials apply, are not printed, and a second start changes nothing`, async (t) => {
    const { place } = await createTestStore(t, kind)
    const startWith = async (environment: Record<string, string>) => {
      const all = { ...serviceEnvironment(place), ...environment }
      return await startService(loadConfig({}, all, place.dataDir).config, silentLog)
    }
    const given = {
      TRAWL_USERNAME: 'ada',
      TRAWL_PASSWORD: 'shortest',
      TRAWL_API_KEY: 'x'.repeat(16),
    }
    const first = await startWith(given)
    await first.forgetCredentials()
    await first[Symbol.asyncDispose]()

    const second = await startWith({ TRAWL_USERNAME: 'bob', TRAWL_PASSWORD: 'otherwise' })
    t.after(() => second[Symbol.asyncDispose]())
    const asked = (authorization: string) =>
      callApi(second.url, 'GET /v1/webhooks', { headers: { authorization } })

    assert.deepEqual(Object.keys(first.credentials ?? {}), ['username', 'callbackSecret'])
    assert.equal(second.credentials, undefined)
    assert.equal((await asked(basicOf('ada', 'shortest'))).statusCode, 200)
    assert.equal((await asked(`Bearer ${'x'.repeat(16)}`)).statusCode, 200)
    assert.equal((await asked(basicOf('bob', 'otherwise'))).statusCode, 401)
  })
}
