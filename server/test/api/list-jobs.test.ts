import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { JobObjectList } from '../../src/wire/jobs/responses.ts'
import { submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { callApi } from '../support/call-api.ts'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, start) => {
  test(`${kind}: listing jobs of every kind`, async (t) => {
    const site = await startPageSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const list = async (query = '') => {
      const response = await account.call(`GET /v1/jobs${query}`)
      assert.equal(response.statusCode, 200, response.text)
      return JobObjectList.strict().parse(response.json())
    }
    const idsOf = async (query: string) => (await list(query)).jobs.map(({ job_id }) => job_id)
    const empty = { jobs: [], page: 1, page_size: 100, page_count: 0, is_capped: false }
    assert.deepEqual(await list(), empty)

    const { job_id: batch } = await submitBatch(account, { urls: [site.url('/')] })
    await untilBatchEnded(account, batch)
    const crawl = await startCrawl(account, { url: site.url('/Fish?token=secret') })
    await untilCrawled(account, crawl)
    // An extraction is a task and no job.
    await account.call('POST /v1/extract', { url: site.url('/Fish') })
    const mapped = await account.call('POST /v1/map', { url: site.url('/Fish') })
    const map = mapped.headers['x-job-id'] ?? ''

    await t.test('all kinds are one list, the newest first, each as it is by its id', async () => {
      const { jobs, ...page } = await list()

      assert.deepEqual(page, { page: 1, page_size: 100, page_count: 1, is_capped: false })
      assert.deepEqual(
        jobs.map((job) => [job.job_id, job.kind]),
        [
          [map, 'map'],
          [crawl, 'crawl'],
          [batch, 'batch'],
        ],
      )
      for (const job of jobs) {
        assert.deepEqual(job, (await account.call(`GET /v1/jobs/${job.job_id}`)).json())
      }
    })

    await t.test('jobs are found by kind, status, part of the URL and date', async () => {
      assert.deepEqual(await idsOf('?kind=crawl'), [crawl])
      assert.deepEqual(await idsOf('?status=completed&kind=batch'), [batch])
      assert.deepEqual(await idsOf('?status=failed'), [])
      assert.deepEqual(await idsOf('?url=fish'), [map, crawl])
      assert.deepEqual(await idsOf('?url=fish&kind=map'), [map])
      assert.deepEqual(await idsOf('?end_date=2001-01-01'), [])
      const [, { created_at = '' } = {}] = (await list()).jobs
      const at = encodeURIComponent(created_at)
      assert.deepEqual(await idsOf(`?start_date=${at}&end_date=${at}`), [crawl])
      assert.deepEqual(faultsIn(await account.call('GET /v1/jobs?kind=extract')), [
        'query.kind literal_error',
      ])
    })

    await t.test('the list comes in pages of 100 at most', async () => {
      assert.deepEqual(await idsOf('?page=2&page_size=2'), [batch])
      assert.equal((await list('?page_size=2')).page_count, 2)
      assert.deepEqual(faultsIn(await account.call('GET /v1/jobs?page_size=101')), [
        'query.page_size less_than_equal',
      ])
    })

    await t.test('another account sees none of them, and nobody needs credentials', async () => {
      const stranger = await service.createAccount()

      assert.deepEqual((await stranger.call('GET /v1/jobs')).json(), empty)
      for (const id of [batch, crawl, map]) {
        assertFailure(await stranger.call(`GET /v1/jobs/${id}`), 'NOT_FOUND')
      }
      assertFailure(await callApi(service.url, 'GET /v1/jobs'), 'UNAUTHORIZED')
    })

    await t.test('no more than 10 000 are counted', async () => {
      const { db } = await service.openBeside()
      const copies = sql`
        with recursive copies (number) as (
          select 1 union all select number + 1 from copies where number < 10000
        )
        insert into jobs
          (id, account_id, kind, url, request, state, total_count, open_count, completed_count,
           failed_count, cancelled_count, tokens, retries, created_at_ms, completed_at_ms)
        select cast(number as text), account_id, kind, url, request, state, 0, 0, 0, 0, 0, 0, 0,
               number, number
        from jobs cross join copies
        where jobs.id = ${batch}`
      await db.run(copies)

      const { page_count, is_capped } = await list('?page_size=1')

      assert.deepEqual([page_count, is_capped], [10_000, true])
    })
  })
})
