import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JobObject } from '../../src/wire/jobs/responses.ts'
import { submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, start) => {
  test(`${kind}: a job by its id alone`, async (t) => {
    const site = await startPageSite(t)
    const held = await startHoldingSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const get = async (id: string) => {
      const response = await account.call(`GET /v1/jobs/${id}`)
      assert.equal(response.statusCode, 200, response.text)
      return JobObject.strict().parse(response.json())
    }
    const none = { total: 0, completed: 0, failed: 0, cancelled: 0, pending: 0 }

    await t.test('a batch has its counts and where its results and tasks are', async () => {
      const once = { configurations: { retries: { useRetries: false } } }
      const urls = [site.url('/'), closedPortUrl]
      const { job_id } = await submitBatch(account, { urls, ...once })
      await untilBatchEnded(account, job_id)

      const { created_at, completed_at, status_url, tasks_url, ...facts } = await get(job_id)

      assert.deepEqual(facts, {
        job_id,
        kind: 'batch',
        status: 'completed',
        url: null,
        counts: { ...none, total: 2, completed: 1, failed: 1 },
        links_count: null,
      })
      const batch = (await account.call(`GET ${status_url}`)).json()
      assert.deepEqual(
        [batch.job_id, batch.created_at, batch.completed_at],
        [job_id, created_at, completed_at],
      )
      assert.equal((await account.call(`GET ${tasks_url}`)).json().tasks.length, 2)
    })

    await t.test('a crawl that runs has pending pages and no end', async () => {
      const id = await startCrawl(account, { url: held.url('/open'), respect_robots: false })
      const seed = await held.untilHeld('/open')

      const job = await get(id)

      assert.deepEqual(
        [job.kind, job.status, job.url, job.status_url, job.completed_at],
        ['crawl', 'processing', held.url('/open'), `/v1/crawl/${id}`, null],
      )
      assert.deepEqual(job.counts, { ...none, total: 1, pending: 1 })
      seed.answer()
      await untilCrawled(account, id)
      assert.deepEqual((await get(id)).counts, { ...none, total: 1, completed: 1 })
    })

    await t.test('a map says how many URLs it has found', async () => {
      const response = await account.call('POST /v1/map', { url: site.url('/') })
      const { links_count, kind, counts } = await get(response.headers['x-job-id'] ?? '')

      assert.deepEqual([kind, links_count], ['map', response.json().links.length])
      assert.deepEqual(counts, { ...none, total: 1, completed: 1 })
    })

    await t.test('the id of an extraction is 404, as is one that nobody has', async () => {
      const page = await account.call('POST /v1/extract', { url: site.url('/') })
      for (const id of [page.headers['x-job-id'], '01890000-0000-7000-8000-000000000000']) {
        assertFailure(await account.call(`GET /v1/jobs/${id}`), 'NOT_FOUND')
      }
      const wrong = await account.call('GET /v1/jobs/x')
      assert.deepEqual(faultsIn(wrong), ['path.job_id uuid_parsing'])
    })
  })
})
