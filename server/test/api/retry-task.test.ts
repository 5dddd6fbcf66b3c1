import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { AcceptedRetry } from '../../src/wire/tasks/responses.ts'
import { submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { extract, submitExtraction, untilEnded } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback, scrapeNow, submitTask, untilDelivery } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, start) => {
  test(`${kind}: retrying a task`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', '<h1>page</h1>')
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const retry = async (id: string, body?: object) => {
      const response = await account.call(`POST /v1/tasks/${id}/retry`, body)
      assert.equal(response.statusCode, 202, response.text)
      return AcceptedRetry.strict().parse(response.json())
    }
    const detailsOf = async (id: string) => (await account.call(`GET /v1/tasks/${id}`)).json()

    await t.test('a callback task is run again with its callback, or without', async () => {
      const callbackUrl = `${receiver.url}/callback`
      const first = await submitTask(account, {
        url: site.url('/'),
        callbackUrl,
        metadata: { a: 1 },
      })
      await untilDelivery(account, first, 'delivered')

      const again = await retry(first)
      await untilDelivery(account, again.id, 'delivered')
      const replayed = await retry(first, { callback: false })
      const { data } = await untilEnded(account, replayed.id)

      assert.equal(again.retry_of, first)
      const { retry_of, metadata, kind: how, callback_url } = await detailsOf(again.id)
      assert.deepEqual(
        { retry_of, metadata, how, callback_url },
        { retry_of: first, metadata: { a: 1 }, how: 'callback', callback_url: callbackUrl },
      )
      assert.equal((await detailsOf(replayed.id)).callback_url, null)
      assert.match(String(data?.html), /<h1>page/)
      assert.equal(receiver.received.length, 2)
    })

    await t.test(
      'scrapes that were waited for, and pages of batches, become extractions',
      async () => {
        const scraped = await scrapeNow(account, { url: site.url('/') })
        const { job_id } = await submitBatch(account, { urls: [site.url('/')] })
        await untilBatchEnded(account, job_id)
        const [page] = (await account.call(`GET /v1/tasks?job=${job_id}`)).json().tasks
        const synced = await extract(account, { url: site.url('/'), formats: ['markdown'] })

        for (const [id, markdown] of [
          [scraped.headers['x-request-id'], null],
          [page.id, '# page\n'],
          [synced.headers['x-job-id'], '# page\n'],
        ] as const) {
          const again = await retry(String(id))
          const { status, data } = await untilEnded(account, again.id)
          const { kind: how, job_id: job } = await detailsOf(again.id)
          assert.deepEqual({ status, how, job }, { status: 'completed', how: 'extract', job: null })
          assert.equal(data?.markdown, markdown)
        }
      },
    )

    await t.test('an open task and a map cannot be retried', async () => {
      const open = await submitExtraction(account, { url: held.url('/') })
      const mapped = await account.call('POST /v1/map', { url: site.url('/') })
      const [map] = (await account.call(`GET /v1/tasks?job=${mapped.headers['x-job-id']}`)).json()
        .tasks

      assertFailure(await account.call(`POST /v1/tasks/${open}/retry`), 'CONFLICT')
      assertFailure(await account.call(`POST /v1/tasks/${map.id}/retry`), 'CONFLICT')
    })

    await t.test('the same idempotency key gives the first retry again', async () => {
      const { headers } = await extract(account, { url: site.url('/') })
      const id = headers['x-job-id']
      const send = (body?: object) =>
        callApi(service.url, `POST /v1/tasks/${id}/retry`, {
          headers: { 'x-api-key': account.apiKey, 'idempotency-key': 'again' },
          body,
        })
      const [first, second] = [await send(), await send()]

      assert.equal(first.json().id, second.json().id)
      assert.equal(second.headers['idempotency-replayed'], 'true')
      const other = await send({ callback: false })
      assert.deepEqual(faultsIn(other), ['header.idempotency-key value_error'])
    })

    await t.test('a request that can no longer be read is gone', async () => {
      const id = String((await extract(account, { url: site.url('/') })).headers['x-job-id'])
      const { db } = await service.openBeside()
      const ofOtherKey = `00000000.${Buffer.alloc(60, 7).toString('base64url')}`
      await db.run(sql`update tasks set request = ${ofOtherKey} where id = ${id}`)

      assertFailure(await account.call(`POST /v1/tasks/${id}/retry`), 'EXPIRED')
    })
  })
})
