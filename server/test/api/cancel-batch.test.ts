import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CancelledBatch } from '../../src/wire/batch/responses.ts'
import {
  batchPath,
  countsOf,
  getBatch,
  submitBatch,
  untilBatch,
  untilBatchEnded,
} from '../support/batch-calls.ts'
import { getJob, once } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { callbackPath, reachingLoopback, unknownIds } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'

const cancel = (account: TestAccount, id: string) => account.call(`DELETE ${batchPath}/${id}`)

onBothStores((kind, start) => {
  test(`${kind}: cancelling a batch`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: '2' },
    })
    const account = await service.createAccount()

    await t.test('what waits is cancelled at once, what runs ends', async () => {
      const paths = ['/1', '/2', '/3', '/4', '/5']
      const { job_id } = await submitBatch(account, {
        urls: paths.map((path) => held.url(path)),
        callback_url: `${receiver.url}/cancelled`,
      })
      await held.untilHeld('/1')
      await held.untilHeld('/2')

      const response = await cancel(account, job_id)
      const cancelled = await getBatch(account, job_id)
      const again = await cancel(account, job_id)

      assert.equal(response.statusCode, 202)
      assert.deepEqual(CancelledBatch.strict().parse(response.json()), {
        job_id,
        status: 'cancelled',
        status_url: `/v1/batch/${job_id}`,
        in_flight_urls: 2,
      })
      assert.deepEqual([cancelled.status, ...countsOf(cancelled)], ['cancelled', 0, 0, 3, 2])
      assert.deepEqual([cancelled.completed_at, cancelled.delivery?.attempts], [null, 0])
      assert.deepEqual([again.statusCode, again.json().code], [409, 'CONFLICT'])
      assert.deepEqual(
        cancelled.results.map(({ status, error_code, error_reason }) => [
          status,
          error_code,
          error_reason,
        ]),
        [
          ...Array(2).fill(['processing', null, null]),
          ...Array(3).fill(['cancelled', 'CANCELLED', 'CANCELLED']),
        ],
      )
      held.heldAt('/1')[0]?.answer()
      await untilBatch(account, job_id, ({ completed_urls }) => completed_urls === 1)
      assert.equal(receiver.received.length, 0)
      held.heldAt('/2')[0]?.answer()
      const ended = await untilBatchEnded(account, job_id)
      assert.deepEqual([ended.status, ...countsOf(ended)], ['cancelled', 2, 0, 3, 0])
      assert.deepEqual(ended.token_summary, { tokens_charged_total: 2, tokens_reserved: 0 })
      const [event] = await receiver.arrivals(1, '/cancelled')
      assert.deepEqual([event?.json.data.status, event?.json.data.cancelled_urls], ['cancelled', 3])
      for (const path of paths.slice(2)) assert.deepEqual(held.heldAt(path), [])
      const page = await getJob(account, ended.results[4]?.task_id ?? '')
      assert.deepEqual([page.status, page.error?.code], ['cancelled', 'CANCELLED'])
      assert.equal((await cancel(account, job_id)).statusCode, 409)
    })

    await t.test('a page that fails after the cancel is not tried again', async () => {
      const { job_id } = await submitBatch(account, {
        urls: [held.url('/flaky')],
        configurations: { retries: { useRetries: true, maxRetries: 5 } },
      })
      const request = await held.untilHeld('/flaky')
      await cancel(account, job_id)

      request.answer(503)

      const job = await untilBatchEnded(account, job_id)
      assert.deepEqual([job.status, ...countsOf(job)], ['cancelled', 0, 0, 1, 0])
      assert.equal(held.heldAt('/flaky').length, 1)
    })

    await t.test('a page that waits for its next attempt is cancelled at once', async () => {
      const { job_id } = await submitBatch(account, {
        urls: [held.url('/paused')],
        configurations: { retries: { useRetries: true, maxRetries: 5 } },
      })
      const request = await held.untilHeld('/paused')
      request.answer(503, { 'retry-after': '30' })
      const task = (await getBatch(account, job_id)).results[0]?.task_id ?? ''
      await until(async () => {
        const { attempts } = (await account.call(`GET ${callbackPath}/${task}`)).json()
        return attempts === 1
      })

      const response = await cancel(account, job_id)

      assert.equal(response.json().in_flight_urls, 0)
      const job = await untilBatchEnded(account, job_id)
      assert.deepEqual([job.status, ...countsOf(job)], ['cancelled', 0, 0, 1, 0])
    })

    await t.test('a batch that has ended cannot be cancelled', async () => {
      const { job_id } = await submitBatch(account, { urls: [site.url('/')] })
      await untilBatchEnded(account, job_id)
      const response = await cancel(account, job_id)
      assert.deepEqual([response.statusCode, response.json().code], [409, 'CONFLICT'])
      assert.equal((await getBatch(account, job_id)).status, 'completed')
    })

    await t.test('cancelled pages are not in the statistics, the others are', async () => {
      const owner = await service.createAccount()
      const { job_id } = await submitBatch(owner, {
        urls: [held.url('/s1'), held.url('/s2'), held.url('/s3')],
        ...once,
      })
      await held.untilHeld('/s1')
      await held.untilHeld('/s2')
      await cancel(owner, job_id)
      held.heldAt('/s1')[0]?.answer()
      held.heldAt('/s2')[0]?.answer()
      await untilBatchEnded(owner, job_id)

      const statistics = (await owner.call('GET /v1/statistics')).json()

      assert.deepEqual([statistics.extraction_count, statistics.period_tokens_used], [2, 2])
      assert.equal(statistics.success_rate, 1)
    })

    await t.test('one of many simultaneous cancels is accepted', async () => {
      const { job_id } = await submitBatch(account, { urls: [held.url('/many')] })
      const request = await held.untilHeld('/many')
      const responses = await Promise.all(Array.from({ length: 5 }, () => cancel(account, job_id)))
      const statuses = responses.map(({ statusCode }) => statusCode).sort()
      assert.deepEqual(statuses, [202, 409, 409, 409, 409])
      request.answer()
      await untilBatchEnded(account, job_id)
    })

    await t.test('an unknown id is 404, what is no id is 422', async () => {
      for (const id of unknownIds) {
        const { statusCode } = await cancel(account, id)
        assert.equal(statusCode, /^[0-9a-f-]{36}$/.test(id) ? 404 : 422, id)
      }
    })
  })
})
