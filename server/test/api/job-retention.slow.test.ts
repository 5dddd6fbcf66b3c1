/** How long batches and their results are kept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import {
  batchPath,
  countsOf,
  getBatch,
  submitBatch,
  untilBatch,
  untilBatchEnded,
} from '../support/batch-calls.ts'
import { crawlPath, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { getJob, once } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { ageJob } from '../support/task-age.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'

onBothStores((kind, start) => {
  test(`${kind}: jobs are kept`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, {
      // The sweep runs three times in a lease.
      environment: { ...reachingLoopback, TRAWL_LEASE: '1s' },
    })
    const { db } = await service.openBeside()
    const account = await service.createAccount()
    const count = async (table: string, id: string): Promise<number> => {
      const queries: Record<string, ReturnType<typeof sql<{ total: number }>>> = {
        jobs: sql`select count(*) as total from jobs where id = ${id}`,
        tasks: sql`select count(*) as total from tasks where job_id = ${id}`,
        deliveries: sql`select count(*) as total from deliveries where job_id = ${id}`,
        results: sql`
          select count(*) as total from results
          where task_id in (select id from tasks where job_id = ${id})`,
      }
      const [row] = await db.run(queries[table] ?? assert.fail())
      return row?.total ?? 0
    }

    await t.test('results are kept 72 h from the end of the batch', async () => {
      const { job_id } = await submitBatch(account, {
        urls: [site.url('/page/old'), held.url('/h')],
      })
      const request = await held.untilHeld('/h')
      await untilBatch(account, job_id, ({ completed_urls }) => completed_urls === 1)
      await ageJob(db, job_id, 100)
      const whileRunning = await getBatch(account, job_id)
      request.answer()
      const ended = await untilBatchEnded(account, job_id)
      assert.equal(whileRunning.results[0]?.data?.markdown, 'old\n')
      assert.equal(ended.results[0]?.data?.markdown, 'old\n')
      assert.equal(await count('results', job_id), 2)
      await ageJob(db, job_id, 71)
      assert.equal((await getBatch(account, job_id)).results[0]?.data?.markdown, 'old\n')

      await ageJob(db, job_id, 2)

      const expired = await getBatch(account, job_id)
      assert.deepEqual([expired.status, ...countsOf(expired)], ['completed', 2, 0, 0, 0])
      assert.deepEqual(
        expired.results.map(({ status, data, metadata }) => [status, data, metadata]),
        Array(2).fill(['completed', null, null]),
      )
      assert.equal((await getJob(account, expired.results[0]?.task_id ?? '')).data, null)
      await until(async () => (await count('results', job_id)) === 0)
      assert.deepEqual([await count('jobs', job_id), await count('tasks', job_id)], [1, 2])
    })

    await t.test('after 30 days a batch is removed whole', async () => {
      const { job_id } = await submitBatch(account, {
        urls: [site.url('/'), site.url('/reset'), site.url('/page/x')],
        callback_url: `${receiver.url}/callback`,
        ...once,
      })
      const { results } = await untilBatchEnded(account, job_id)
      await untilBatch(account, job_id, ({ delivery }) => delivery?.status === 'delivered')
      await ageJob(db, job_id, 29 * 24)
      const young = await getBatch(account, job_id)
      assert.equal(young.total_urls, 3)

      await ageJob(db, job_id, 2 * 24)

      await until(async () => (await count('jobs', job_id)) === 0)
      for (const table of ['tasks', 'deliveries', 'results']) {
        assert.equal(await count(table, job_id), 0, table)
      }
      assert.equal((await account.call(`GET ${batchPath}/${job_id}`)).statusCode, 404)
      const page = await account.call(`GET /v1/extract/${results[0]?.task_id}`)
      assert.equal(page.statusCode, 404)
      const [blobs] = await db.run(
        sql<{ total: number }>`
          select count(*) as total from blobs where owner_id = ${results[0]?.task_id ?? ''}`,
      )
      assert.equal(blobs?.total, 0)
    })

    await t.test('after 30 days a crawl and a map are removed whole', async () => {
      const crawlId = await startCrawl(account, { url: site.url('/page/x'), depth: 1 })
      await untilCrawled(account, crawlId)
      const mapped = await account.call('POST /v1/map', { url: site.url('/') })
      const mapId = mapped.headers['x-job-id'] ?? assert.fail(mapped.text)

      for (const id of [crawlId, mapId]) {
        await ageJob(db, id, 31 * 24)

        await until(async () => (await count('jobs', id)) === 0)
        for (const table of ['tasks', 'results']) assert.equal(await count(table, id), 0, table)
      }
      assert.equal((await account.call(`GET ${crawlPath}/${crawlId}`)).statusCode, 404)
      assert.equal((await account.call(`GET /v1/map/${mapId}`)).statusCode, 404)
    })

    await t.test('a batch that still runs after 30 days stays', async () => {
      const { job_id } = await submitBatch(account, { urls: [site.url('/'), held.url('/long')] })
      const request = await held.untilHeld('/long')
      await untilBatch(account, job_id, ({ completed_urls }) => completed_urls === 1)
      await ageJob(db, job_id, 31 * 24)
      const marker = await submitBatch(account, { urls: [site.url('/')] })
      await untilBatchEnded(account, marker.job_id)
      await ageJob(db, marker.job_id, 31 * 24)
      await until(async () => (await count('jobs', marker.job_id)) === 0)
      assert.deepEqual(countsOf(await getBatch(account, job_id)), [1, 0, 0, 1])
      assert.equal(await count('tasks', job_id), 2)
      request.answer()
      await untilBatchEnded(account, job_id)
    })
  })
})
