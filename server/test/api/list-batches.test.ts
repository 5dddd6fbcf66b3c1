import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { BatchJobList } from '../../src/wire/batch/responses.ts'
import { batchPath, getBatch, submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { once } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

async function list(account: TestAccount, query = '') {
  const response = await account.call(`GET ${batchPath}/jobs${query}`)
  assert.equal(response.statusCode, 200, response.text)
  return BatchJobList.strict().parse(response.json())
}

onBothStores((kind, start) => {
  test(`${kind}: listing batches`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: '1' },
    })
    const account = await service.createAccount()
    const submit = async (url: string) =>
      (await submitBatch(account, { urls: [url, url], ...once })).job_id
    const completed = await submit(site.url('/'))
    await untilBatchEnded(account, completed)
    const broken = await submit(site.url('/reset'))
    await untilBatchEnded(account, broken)
    const processing = await submit(held.url('/'))
    await held.untilHeld('/')
    const queued = await submit(site.url('/'))
    const cancelled = await submit(site.url('/'))
    await account.call(`DELETE ${batchPath}/${cancelled}`)

    await t.test('the newest is first, each as a batch without its results', async () => {
      const { jobs, ...envelope } = await list(account)
      assert.deepEqual(
        jobs.map(({ job_id }) => job_id),
        [cancelled, queued, processing, broken, completed],
      )
      assert.deepEqual(envelope, { page: 1, page_size: 100, page_count: 1 })
      const whole = await getBatch(account, broken)
      assert.deepEqual(jobs[3], {
        job_id: broken,
        status: 'completed',
        accepted_urls: 2,
        completed_urls: 0,
        failed_urls: 2,
        config: whole.batch_config,
        created_at: whole.created_at,
        completed_at: whole.completed_at,
      })
    })

    await t.test('each status has its batches', async () => {
      const byStatus = { completed: [broken, completed], processing: [processing] }
      const all = { ...byStatus, queued: [queued], cancelled: [cancelled], failed: [] }
      for (const [status, ids] of Object.entries(all)) {
        const { jobs, page_count } = await list(account, `?status=${status}`)
        assert.deepEqual(
          jobs.map((job) => [job.job_id, job.status]),
          ids.map((id) => [id, status]),
        )
        assert.equal(page_count, ids.length > 0 ? 1 : 0)
      }
      assert.equal((await account.call(`GET ${batchPath}/jobs?status=nonsense`)).statusCode, 422)
    })

    await t.test('pages have 1 to 100 of them', async () => {
      const first = await list(account, '?page_size=2')
      const last = await list(account, '?page=3&page_size=2')
      const beyond = await list(account, '?page=4&page_size=2')
      assert.deepEqual([first.jobs.length, first.page_count], [2, 3])
      assert.deepEqual(
        last.jobs.map(({ job_id }) => job_id),
        [completed],
      )
      assert.deepEqual([beyond.jobs, beyond.page_count], [[], 3])
      for (const query of ['page=0', 'page_size=0', 'page_size=101']) {
        assert.equal((await account.call(`GET ${batchPath}/jobs?${query}`)).statusCode, 422)
      }
    })

    await t.test('invalid URLs, of which there may be many, are not read for a list', async () => {
      const owner = await service.createAccount()
      const { job_id } = await submitBatch(owner, { urls: ['nonsense', site.url('/')] })
      const { db } = await service.openBeside()
      await db.run(sql<never>`update jobs set invalid_urls = 'unreadable' where id = ${job_id}`)
      const { jobs } = await list(owner)
      assert.deepEqual(
        jobs.map((job) => [job.job_id, job.accepted_urls]),
        [[job_id, 1]],
      )
    })

    await t.test('dates are those of the submission, both ends included', async () => {
      const { db } = await service.openBeside()
      const day = (name: string) => Date.parse(`${name}T12:00:00Z`)
      const move = (id: string, ms: number) =>
        db.run(sql<never>`update jobs set created_at_ms = ${ms} where id = ${id}`)
      await move(completed, day('2024-05-01'))
      await move(broken, day('2024-05-02'))
      const idsOf = async (query: string) =>
        (await list(account, query)).jobs.map((job) => job.job_id)
      assert.deepEqual(await idsOf('?start_date=2024-05-01&end_date=2024-05-01'), [completed])
      assert.deepEqual(await idsOf('?end_date=2024-05-02'), [broken, completed])
      assert.deepEqual(await idsOf('?start_date=2024-05-02T14:00:00%2B0200&end_date=2024-06-01'), [
        broken,
      ])
      assert.deepEqual(await idsOf('?end_date=2024-05-02&status=completed&page_size=1'), [broken])
      assert.equal((await account.call(`GET ${batchPath}/jobs?start_date=soon`)).statusCode, 422)
    })
  })
})
