import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { startPageSite } from '../support/page-site.ts'
import { callbackPath } from '../support/scrape-calls.ts'
import {
  createCaller,
  createSealedStore,
  listSealedTexts,
  storeAsPlainText,
} from '../support/sealed-store.ts'
import { assertNone, dumpStore } from '../support/store-dump.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const canary = 'canary-in-plain-text'

for (const kind of tierStoreKinds) {
  test(`${kind}: rows of a version that did not encrypt are read, worked on and encrypted`, async (t) => {
    const site = await startPageSite(t)
    const receiver = await startTestReceiver(t)
    site.page('/now', (_, response) => {
      response.writeHead(200, { 'set-cookie': `a=${canary}`, 'content-type': 'text/html' })
      response.end('<p>cod</p>')
    })
    site.page('/later', (request) => request.socket.resetAndDestroy())
    const place = await createSealedStore(t, kind)
    const requestFor = (path: string) => ({
      url: site.url(`${path}?token=${canary}`),
      callbackUrl: `${receiver.url}${path}?token=${canary}`,
      metadata: { note: canary },
      configurations: {
        response_format: 'json',
        cookies: [{ name: 'sent', value: canary, domain: '127.0.0.1' }],
        retries: { useRetries: true, maxRetries: 5 },
      },
    })
    let [ended, underWay, batchId] = ['', '', '']
    await using store = await place.open()
    const call = await createCaller(store)
    {
      await using before = await place.start()
      const submit = async (path: string): Promise<string> =>
        (await call(before, `POST ${callbackPath}`, requestFor(path))).json().requestId
      const hook = { url: `${receiver.url}/hook?token=${canary}`, event_type: 'extract_completed' }
      await call(before, 'POST /v1/webhooks', hook)
      ended = await submit('/now')
      const batch = {
        urls: [site.url(`/now?token=${canary}`), `nonsense ${canary}`],
        callback_url: `${receiver.url}/batch?token=${canary}`,
        headers: { 'x-note': canary },
      }
      batchId = (await call(before, 'POST /v1/batch', batch)).json().job_id
      await receiver.arrivals(1, `/batch?token=${canary}`)
      await receiver.arrivals(1, `/now?token=${canary}`)
      underWay = await submit('/later')
      await until(() => site.askedFor(`/later?token=${canary}`).length > 0)
    }
    await storeAsPlainText(store)
    assert.ok((await dumpStore(store.db, place.dataDir)).includes(canary))
    site.page('/later', '<p>hake</p>')

    {
      await using after = await place.start()
      const isDone = async () =>
        (await store.db.run(sql`select 1 from store_properties where name = 'plain_rows_sealed'`))
          .length > 0
      await until(isDone)
      const [callback] = await receiver.arrivals(1, `/later?token=${canary}`)
      const result = await call(after, `GET ${callbackPath}/${ended}/result`)
      const batch = (await call(after, `GET /v1/batch/${batchId}`)).json()
      assert.deepEqual(batch.invalid_urls, [`nonsense ${canary}`])
      assert.deepEqual(batch.batch_config.headers, { 'x-note': canary })
      assert.deepEqual(
        [callback?.json.requestId, callback?.json.status],
        [underWay, 'completed'],
        callback?.body.toString(),
      )
      assert.equal(callback?.json.metadata.note, canary)
      await receiver.arrivals(2, `/hook?token=${canary}`)
      const [hook] = (await call(after, 'GET /v1/webhooks')).json().items
      assert.equal(hook.url, `${receiver.url}/hook?token=${canary}`)
      assert.equal(result.json().cookies.find(({ name = '' }) => name === 'a').value, canary)
    }

    const texts = await listSealedTexts(store)
    assert.equal(texts.filter(({ column }) => column !== 'signing_secrets.sealed').length, 18)
    for (const { column, text } of texts) {
      assert.equal(store.sealer.stateOf(text), 'newest', column)
    }
    await store.db[Symbol.asyncDispose]()
    // When its last user closes it, SQLite moves everything from the WAL into the file.
    await using again = await place.open()
    assertNone('The store', await dumpStore(again.db, place.dataDir), [canary])
  })

  test(`${kind}: URLs of webhooks that an earlier version left as plain text are encrypted`, async (t) => {
    const place = await createSealedStore(t, kind)
    await using store = await place.open()
    const call = await createCaller(store)
    const url = `http://127.0.0.1:1025/hook?token=${canary}`
    {
      await using before = await place.start()
      const hook = { url, event_type: 'extract_completed' }
      assert.equal((await call(before, 'POST /v1/webhooks', hook)).statusCode, 201)
    }
    await store.db.run(sql`update webhooks set url = ${url}`)
    await store.db.run(sql`
      update store_properties set value = 'done' where name = 'plain_rows_sealed'`)

    await using after = await place.start()
    const storedUrl = async () =>
      (await store.db.run(sql<{ url: string }>`select url from webhooks`))[0]?.url ?? ''
    await until(async () => store.sealer.stateOf(await storedUrl()) === 'newest')

    assert.equal((await call(after, 'GET /v1/webhooks')).json().items[0].url, url)
  })
}
