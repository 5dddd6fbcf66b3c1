import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import { sql } from '../../src/storage/statement.ts'
import { startPageSite } from '../support/page-site.ts'
import { callbackPath } from '../support/scrape-calls.ts'
import { createCaller, createSealedStore } from '../support/sealed-store.ts'
import { tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const ofOtherKey = createSealer({ newest: Buffer.alloc(32, 3) }).seal('{}', 'a row')

for (const kind of tierStoreKinds) {
  test(`${kind}: a task that cannot be decrypted is shown, cancelled and ended as failed`, async (t) => {
    const site = await startPageSite(t)
    site.page('/good', '<p>cod</p>')
    const place = await createSealedStore(t, kind)
    await using store = await place.open()
    const call = await createCaller(store)
    const api = await place.start({ TRAWL_ROLES: 'api' })
    const submit = async (path: string): Promise<string> => {
      const body = { url: site.url(path), callbackUrl: site.url('/in'), metadata: { fish: 'cod' } }
      return (await call(api, `POST ${callbackPath}`, body)).json().requestId
    }
    const [cancelled, left] = [await submit('/a?token=1'), await submit('/b')]
    await store.db.run(sql`
      update tasks set request = ${ofOtherKey}, callback_url = ${ofOtherKey}, metadata = ${ofOtherKey}`)
    const good = await submit('/good')
    const get = (id: string) => call(api, `GET ${callbackPath}/${id}`)

    const listed = await call(api, `GET ${callbackPath}`)
    assert.equal(listed.statusCode, 200, listed.text)
    const shown = (await get(cancelled)).json()
    assert.deepEqual(
      [shown.requestId, shown.status, shown.url, shown.callbackUrl, shown.metadata],
      [cancelled, 'queued', site.url('/a'), null, null],
    )
    const found = (await get(good)).json()
    assert.deepEqual(found.metadata, { fish: 'cod' })
    for (const id of [cancelled, left, good]) assert.ok(listed.text.includes(id))
    assert.equal((await call(api, `DELETE ${callbackPath}/${cancelled}`)).statusCode, 202)
    assert.equal((await get(cancelled)).json().status, 'cancelled')

    await place.start({ TRAWL_ROLES: 'worker' })
    await until(async () => (await get(left)).json().completedAt !== null)
    const { status, error } = (await get(left)).json()
    assert.deepEqual([status, error.code], ['failed', 'INTERNAL_ERROR'])
    assert.match(error.message, /^The stored request cannot be decrypted/)
    await until(async () => (await get(good)).json().status === 'completed')
  })

  test(`${kind}: a worker without the store's key leaves tasks to other workers`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', '<p>cod</p>')
    const place = await createSealedStore(t, kind)
    const [oldKey, newKey] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'))
    const old = { TRAWL_SECRET_KEY: oldKey ?? '' }
    const both = { TRAWL_SECRET_KEY: newKey ?? '', TRAWL_SECRET_KEY_PREVIOUS: oldKey ?? '' }
    await using store = await place.open(old)
    const call = await createCaller(store)
    const leftOut = await place.start({ ...old, TRAWL_ROLES: 'api,worker' })
    const check = createSealer({ newest: Buffer.alloc(32, 2) })
    await store.db.run(sql`
      update store_properties
      set value = ${check.seal('trawl', 'store_properties secret_key_check')}
      where name = 'secret_key_check'`)
    const api = await place.start({ ...both, TRAWL_ROLES: 'api' })
    const request = { url: site.url('/'), callbackUrl: site.url('/in') }
    const submitted = await call(api, `POST ${callbackPath}`, request)
    const { requestId } = submitted.json()
    const get = async () => (await call(api, `GET ${callbackPath}/${requestId}`)).json()
    await until(async () => (await get()).startedAt !== null)
    await leftOut[Symbol.asyncDispose]()

    await place.start({ ...both, TRAWL_ROLES: 'worker' })

    await until(async () => (await get()).completedAt !== null)
    assert.equal((await get()).status, 'completed')
  })
}
