import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { AcceptedBatch } from '../../src/wire/batch/responses.ts'
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
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback, unknownIds } from '../support/scrape-calls.ts'
import { ageJob } from '../support/task-age.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const retry = (account: TestAccount, id: string) =>
  account.call(`POST ${batchPath}/${id}/retry-failed`)

onBothStores((kind, start) => {
  test(`${kind}: running the failed pages of a batch again`, async (t) => {
    const site = await startPageSite(t)
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()

    /** A page that fails until it is mended. */
    function brokenPage(path: string) {
      const held: IncomingMessage[] = []
      const fail = () => {
        site.page(path, (request) => request.socket.resetAndDestroy())
        for (const { socket } of held.splice(0)) socket.resetAndDestroy()
      }
      fail()
      return {
        url: site.url(path),
        held,
        fail,
        hold: () => site.page(path, (request) => held.push(request)),
        mend: () => site.page(path, `<p>${path}</p>`),
      }
    }

    await t.test('the same job runs them again and ends again with a new event', async () => {
      const owner = await service.createAccount()
      const webhook = { url: `${receiver.url}/hook`, event_type: 'batch_completed' }
      await owner.call('POST /v1/webhooks', webhook)
      const [one, two] = [brokenPage('/one'), brokenPage('/two')]
      site.page('/fine', '<p>fine</p>')
      const { job_id } = await submitBatch(owner, {
        urls: [one.url, 'nonsense', site.url('/fine'), two.url],
        callback_url: `${receiver.url}/callback`,
        ...once,
      })
      const first = await untilBatchEnded(owner, job_id)
      assert.deepEqual([first.status, ...countsOf(first)], ['completed', 1, 2, 0, 0])
      await receiver.arrivals(1, '/hook')
      one.mend()
      two.hold()

      const response = await retry(owner, job_id)
      const again = await retry(owner, job_id)

      assert.equal(response.statusCode, 202, response.text)
      assert.deepEqual(AcceptedBatch.strict().parse(response.json()), {
        job_id,
        status: 'processing',
        status_url: `/v1/batch/${job_id}`,
        accepted_urls: 3,
        invalid_urls: ['nonsense'],
        estimated_tokens: 2,
      })
      assert.deepEqual([again.statusCode, again.json().code], [409, 'CONFLICT'])
      await until(() => two.held.length === 1)
      const running = await untilBatch(owner, job_id, ({ completed_urls }) => completed_urls === 2)
      assert.deepEqual([running.status, ...countsOf(running)], ['processing', 2, 0, 0, 1])
      assert.equal(running.completed_at, null)
      assert.equal(running.delivery?.status, 'delivered')
      two.fail()

      const second = await untilBatchEnded(owner, job_id)
      assert.deepEqual([second.status, ...countsOf(second)], ['completed', 2, 1, 0, 0])
      assert.deepEqual(second.token_summary, { tokens_charged_total: 2, tokens_reserved: 0 })
      assert.equal(site.askedFor('/fine').length, 1)
      assert.deepEqual(second.results[1], first.results[1])
      assert.deepEqual(
        second.results.map(({ input_index, task_id }) => [input_index, task_id]),
        first.results.map(({ input_index, task_id }) => [input_index, task_id]),
      )
      assert.equal(second.results[0]?.data?.markdown, '/one\n')
      assert.equal(second.results[2]?.error_reason, 'TARGET_UNREACHABLE')
      for (const path of ['/hook', '/callback']) {
        const events = await receiver.arrivals(2, path)
        assert.equal(new Set(events.map(({ json }) => json.delivery_id)).size, 2)
        assert.equal(new Set(events.map(({ headers }) => headers['webhook-id'])).size, 2)
        assert.deepEqual(
          events.map(({ json }) => [json.timestamp, json.data.failed_urls]),
          [
            [first.completed_at, 2],
            [second.completed_at, 1],
          ],
        )
      }
      two.mend()
      assert.equal((await retry(owner, job_id)).statusCode, 202)
      const third = await untilBatchEnded(owner, job_id)
      assert.deepEqual(countsOf(third), [3, 0, 0, 0])
      assert.equal((await retry(owner, job_id)).statusCode, 409)
      assert.equal((await receiver.arrivals(3, '/hook')).length, 3)
    })

    await t.test('a batch of failures only is processing again, its pages are queued', async () => {
      const busy = await start(t, {
        environment: { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: '1' },
      })
      const owner = await busy.createAccount()
      const page = brokenPage('/all')
      const { job_id } = await submitBatch(owner, { urls: [page.url], ...once })
      await untilBatchEnded(owner, job_id)
      await submitBatch(owner, { urls: [held.url('/blocking')] })
      const blocking = await held.untilHeld('/blocking')

      assert.equal((await retry(owner, job_id)).statusCode, 202)

      const job = await getBatch(owner, job_id)
      assert.deepEqual([job.status, ...countsOf(job)], ['processing', 0, 0, 0, 1])
      const { status, error_code, error_message, error_reason } = job.results[0] ?? {}
      assert.deepEqual(
        [status, error_code, error_message, error_reason],
        ['queued', null, null, null],
      )
      const single = await getJob(owner, job.results[0]?.task_id ?? '')
      assert.deepEqual([single.status, single.error, single.completed_at], ['queued', null, null])
      page.mend()
      blocking.answer()
      assert.deepEqual(countsOf(await untilBatchEnded(owner, job_id)), [1, 0, 0, 0])
    })

    await t.test('it is 409 while the batch runs and where nothing failed', async () => {
      const running = await submitBatch(account, { urls: [held.url('/running')] })
      const request = await held.untilHeld('/running')
      assert.equal((await retry(account, running.job_id)).statusCode, 409)
      request.answer()
      await untilBatchEnded(account, running.job_id)
      const response = await retry(account, running.job_id)
      assert.deepEqual([response.statusCode, response.json().code], [409, 'CONFLICT'])
    })

    await t.test('a cancelled batch runs its failed pages and not its cancelled ones', async () => {
      const page = brokenPage('/of-cancelled')
      const { job_id } = await submitBatch(account, {
        urls: [page.url, held.url('/in-flight')],
        ...once,
      })
      const request = await held.untilHeld('/in-flight')
      await untilBatch(account, job_id, ({ failed_urls }) => failed_urls === 1)
      await account.call(`DELETE ${batchPath}/${job_id}`)
      assert.equal((await retry(account, job_id)).statusCode, 409)
      request.answer()
      await untilBatchEnded(account, job_id)
      page.mend()

      assert.equal((await retry(account, job_id)).statusCode, 202)

      const job = await untilBatchEnded(account, job_id)
      assert.deepEqual([job.status, ...countsOf(job)], ['completed', 2, 0, 0, 0])
    })

    await t.test('no worker of an earlier run can write to a later one', async () => {
      const page = brokenPage('/fenced')
      const { db } = await service.openBeside()
      const fences: number[] = []
      page.hold()
      const { job_id } = await submitBatch(account, { urls: [page.url], ...once })
      for (let run = 0; run < 3; run += 1) {
        await until(() => page.held.length === 1)
        const [entry] = await db.run(sql<{ fence: number }>`
          select fence from queue_entries
          where id in (select id from tasks where job_id = ${job_id})`)
        fences.push(entry?.fence ?? 0)
        page.fail()
        await untilBatchEnded(account, job_id)
        page.hold()
        if (run < 2) assert.equal((await retry(account, job_id)).statusCode, 202)
      }

      // A run may have any number of leases, as processes that run it may die.
      const [first = 0, second = 0, third = 0] = fences
      assert.ok(second > first + 1_000 && third > second + 1_000, fences.join())
    })

    await t.test('of many simultaneous calls one is accepted', async () => {
      const page = brokenPage('/many')
      const { job_id } = await submitBatch(account, { urls: [page.url, page.url], ...once })
      await untilBatchEnded(account, job_id)
      page.hold()
      const responses = await Promise.all(Array.from({ length: 5 }, () => retry(account, job_id)))
      const statuses = responses.map(({ statusCode }) => statusCode).sort()
      assert.deepEqual(statuses, [202, 409, 409, 409, 409])
      await until(() => page.held.length === 2)
      page.fail()
      assert.deepEqual(countsOf(await untilBatchEnded(account, job_id)), [0, 2, 0, 0])
    })

    await t.test('it is 410 after retention', async () => {
      const page = brokenPage('/old')
      const { job_id } = await submitBatch(account, { urls: [page.url], ...once })
      await untilBatchEnded(account, job_id)
      const { db } = await service.openBeside()
      await ageJob(db, job_id, 73)

      const response = await retry(account, job_id)

      assert.deepEqual([response.statusCode, response.json().code], [410, 'EXPIRED'])
      assert.deepEqual(countsOf(await getBatch(account, job_id)), [0, 1, 0, 0])
    })

    await t.test('each end counts in the statistics', async () => {
      const owner = await service.createAccount()
      const page = brokenPage('/counted')
      const { job_id } = await submitBatch(owner, { urls: [page.url], ...once })
      await untilBatchEnded(owner, job_id)
      page.mend()
      await retry(owner, job_id)
      await untilBatchEnded(owner, job_id)
      const statistics = (await owner.call('GET /v1/statistics')).json()
      assert.deepEqual([statistics.extraction_count, statistics.success_rate], [2, 0.5])
      assert.equal(statistics.period_tokens_used, 1)
    })

    await t.test('an unknown id is 404, what is no id is 422', async () => {
      for (const id of unknownIds) {
        const { statusCode } = await retry(account, id)
        assert.equal(statusCode, /^[0-9a-f-]{36}$/.test(id) ? 404 : 422, id)
      }
    })
  })

  test(`${kind}: failed pages that do not fit into the queue stay failed`, async (t) => {
    const site = await startPageSite(t)
    const held = await startHoldingSite(t)
    site.page('/', (request) => request.socket.resetAndDestroy())
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_ACCOUNT_QUEUE_MAX: '3' },
    })
    const account = await service.createAccount()
    const { job_id } = await submitBatch(account, { urls: Array(3).fill(site.url('/')), ...once })
    const ended = await untilBatchEnded(account, job_id)
    await submitBatch(account, { urls: [held.url('/')] })
    await held.untilHeld('/')

    const response = await account.callWithoutRetry(`POST ${batchPath}/${job_id}/retry-failed`)

    assert.deepEqual([response.statusCode, response.json().code], [429, 'QUEUE_FULL'])
    const after = await getBatch(account, job_id)
    assert.deepEqual([after.completed_at, ...countsOf(after)], [ended.completed_at, 0, 3, 0, 0])
  })
})
