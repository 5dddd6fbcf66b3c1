import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import { sql } from '../../src/storage/statement.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback, scrapeNow } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

const ofOtherKey = createSealer({ newest: Buffer.alloc(32, 3) }).seal('http://x/', 'a row')

onBothStores((kind, start) => {
  test(`${kind}: a webhook that cannot be decrypted is paused until its URL is set again`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', '<p>cod</p>')
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const url = `${receiver.url}/hook`
    const created = await account.call('POST /v1/webhooks', {
      url,
      event_type: 'extract_completed',
    })
    const path = `/v1/webhooks/${created.json().id}`
    const { db } = await service.openBeside()
    await db.run(sql`update webhooks set url = ${ofOtherKey}`)

    const { headers } = await scrapeNow(account, { url: site.url('/') })

    const [hook] = (await account.call('GET /v1/webhooks')).json().items
    assert.deepEqual([hook.url, hook.is_active], ['', false])
    const [delivery] = (await account.call(`GET ${path}/deliveries`)).json().items
    assert.deepEqual([delivery.job_id, delivery.status], [headers['x-request-id'], 'skipped'])
    assertFailure(await account.call(`POST ${path}/test`), 'CONFLICT')
    assertFailure(await account.call(`PATCH ${path}`, { is_active: true }), 'CONFLICT')

    const patched = (await account.call(`PATCH ${path}`, { url })).json()
    assert.deepEqual([patched.url, patched.is_active], [url, true])
    const since = { since: '2020-01-01T00:00:00Z' }
    assert.equal((await account.call(`POST ${path}/recover`, since)).statusCode, 202)
    const [event] = await receiver.arrivals(1, '/hook')
    assert.equal(event?.json.data.job_id, headers['x-request-id'])
  })
})
