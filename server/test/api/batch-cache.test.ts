/** `max_age` of a batch: pages that stored results of the same request answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, getBatch, submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { getJob } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

const hour = 3_600_000

onBothStores((kind, start) => {
  test(`${kind}: a batch with max_age`, async (t) => {
    const site = await startPageSite(t)
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })
    for (const path of ['/a', '/b']) site.page(path, `<p>${path}</p>`)

    await t.test('a batch of hits only ends at once, without tokens, with its event', async () => {
      const account = await service.createAccount()
      const urls = [site.url('/a'), site.url('/b')]
      const first = await submitBatch(account, { urls })
      const { results: fetched } = await untilBatchEnded(account, first.job_id)
      const asked = site.asked.length

      const second = await submitBatch(account, {
        urls: [...urls, ...urls],
        max_age: hour,
        callback_url: `${receiver.url}/hits`,
      })
      const job = await untilBatchEnded(account, second.job_id)

      assert.equal(site.asked.length, asked)
      assert.deepEqual([job.status, ...countsOf(job)], ['completed', 4, 0, 0, 0])
      assert.equal(job.token_summary.tokens_charged_total, 0)
      assert.deepEqual(
        job.results.map(({ data, metadata }) => [data, metadata]),
        [...fetched, ...fetched].map(({ data, metadata }) => [
          data,
          { ...metadata, duration_ms: 0, tokens_charged: 0, cached: true },
        ]),
      )
      const page = await getJob(account, job.results[0]?.task_id ?? '')
      assert.equal(page.metadata?.cached, true)
      const [event] = await receiver.arrivals(1, '/hits')
      assert.deepEqual(
        [event?.json.data.job_id, event?.json.data.status],
        [second.job_id, 'completed'],
      )
      const statistics = (await account.call('GET /v1/statistics')).json()
      assert.deepEqual([statistics.extraction_count, statistics.period_tokens_used], [6, 2])
    })

    await t.test('only what is not stored is fetched', async () => {
      const account = await service.createAccount()
      const first = await submitBatch(account, { urls: [site.url('/a')] })
      await untilBatchEnded(account, first.job_id)

      const urls = [held.url('/new'), site.url('/a')]
      const { job_id } = await submitBatch(account, { urls, max_age: hour })

      const request = await held.untilHeld('/new')
      const running = await getBatch(account, job_id)
      assert.deepEqual([running.status, ...countsOf(running)], ['processing', 1, 0, 0, 1])
      request.answer()
      const job = await untilBatchEnded(account, job_id)
      assert.deepEqual([...countsOf(job), job.token_summary.tokens_charged_total], [2, 0, 0, 0, 1])
    })
  })
})
