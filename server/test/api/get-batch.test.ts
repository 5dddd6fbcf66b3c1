import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  batchPath,
  countsOf,
  getBatch,
  submitBatch,
  untilBatch,
  untilBatchEnded,
} from '../support/batch-calls.ts'
import { callApi } from '../support/call-api.ts'
import { extractPath, getJob, once } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { callbackPath, reachingLoopback, unknownIds } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

onBothStores((kind, start) => {
  test(`${kind}: getting a batch`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const urls = Array.from({ length: 23 }, (_, index) => site.url(`/page/${index}`))
    const whole = (await submitBatch(account, { urls })).job_id
    await untilBatchEnded(account, whole)

    await t.test('the first ten results are the default, a page has 1 to 50', async () => {
      const indexesOf = async (query: string) =>
        (await getBatch(account, whole, query)).results.map(({ input_index }) => input_index)
      const range = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, index) => from + index)
      assert.deepEqual(await indexesOf(''), range(0, 10))
      assert.deepEqual(await indexesOf('?page=2'), range(10, 20))
      assert.deepEqual(await indexesOf('?page=3'), range(20, 23))
      assert.deepEqual(await indexesOf('?page=4'), [])
      assert.deepEqual(await indexesOf('?page_size=50'), range(0, 23))
      assert.deepEqual(await indexesOf('?page=23&page_size=1'), [22])
      assert.deepEqual(await indexesOf('?page=999999999999999'), [])
      for (const query of ['page=0', 'page_size=0', 'page_size=51', 'page=one']) {
        const response = await account.call(`GET ${batchPath}/${whole}?${query}`)
        assert.equal(response.statusCode, 422, query)
        assert.equal(response.json().detail[0].loc[0], 'query')
      }
    })

    await t.test('a page past invalid URLs starts where the one before it ended', async () => {
      const mixed = ['x', ...urls.slice(0, 2), 'y', 'z', ...urls.slice(2, 4)]
      const { job_id } = await submitBatch(account, { urls: mixed })
      await untilBatchEnded(account, job_id)
      const pages = await Promise.all(
        [1, 2, 3].map((page) => getBatch(account, job_id, `?page=${page}&page_size=2`)),
      )
      assert.deepEqual(
        pages.map(({ results }) => results.map(({ input_index }) => input_index)),
        [[1, 2], [5, 6], []],
      )
    })

    await t.test('a completed result has its content and what it cost', async () => {
      const { results, ...job } = await getBatch(account, whole, '?page_size=1')
      const [{ task_id, metadata, ...result } = assert.fail()] = results
      assert.deepEqual(result, {
        input_index: 0,
        url: urls[0],
        status: 'completed',
        error_code: null,
        error_message: null,
        error_reason: null,
        data: { html: null, markdown: '0\n' },
      })
      const { duration_ms, ...facts } = metadata ?? assert.fail()
      assert.ok(Number.isInteger(duration_ms))
      assert.deepEqual(facts, {
        http_status: 200,
        retry_count: 0,
        tokens_charged: 1,
        render_js: false,
        engine: 'http',
        engine_reason: 'requested',
      })
      assert.deepEqual(countsOf({ ...job, results }), [23, 0, 0, 0])
      assert.deepEqual(job.token_summary, { tokens_charged_total: 23, tokens_reserved: 0 })
      assert.deepEqual([job.status, job.total_urls], ['completed', 23])
      assert.ok(Date.parse(job.created_at) <= Date.parse(job.completed_at ?? ''))
    })

    await t.test('task_id is served as a single extraction and as a task', async () => {
      const [result] = (await getBatch(account, whole, '?page_size=1')).results
      const id = result?.task_id ?? ''
      const single = await getJob(account, id)
      assert.deepEqual([single.job_id, single.status, single.tokens_charged], [id, 'completed', 1])
      assert.deepEqual(single.data, result?.data)
      assert.equal(single.metadata?.processing_mode, 'async')
      const task = await account.call(`GET ${callbackPath}/${id}`)
      assert.deepEqual([task.json().status, task.json().delivery], ['completed', null])
      assert.equal((await account.call(`POST ${callbackPath}/${id}/redeliver`)).statusCode, 409)
    })

    await t.test('pages of a batch are in no list of single tasks', async () => {
      for (const path of [`${extractPath}/jobs`, callbackPath]) {
        const list = (await account.call(`GET ${path}`)).json()
        assert.deepEqual([list.jobs ?? list.items, list.page_count], [[], 0])
      }
      const { results } = await getBatch(account, whole, '?page_size=1')
      const byId = await account.call(`GET ${extractPath}/jobs?job_id=${results[0]?.task_id}`)
      assert.deepEqual(byId.json().jobs, [])
    })

    await t.test('an HTTP error of the target is a completed page', async () => {
      const { job_id } = await submitBatch(account, { urls: [site.url('/status/404')] })
      const { results, completed_urls } = await untilBatchEnded(account, job_id)
      assert.deepEqual([completed_urls, results[0]?.metadata?.http_status], [1, 404])
    })

    await t.test('a password in a URL is not shown', async () => {
      const url = new URL(site.url('/basic'))
      url.username = 'user'
      url.password = 'pass'
      const { job_id } = await submitBatch(account, { urls: [url.href] })
      const { results } = await untilBatchEnded(account, job_id)
      assert.equal(results[0]?.data?.markdown, 'welcome\n')
      assert.ok(!results[0]?.url.includes('pass'))
    })

    await t.test('while it runs, unfinished pages are listed and the counts add up', async () => {
      const paths = ['/1', '/2', '/3']
      const { job_id } = await submitBatch(account, {
        urls: [...paths.map((path) => held.url(path)), site.url('/reset')],
        ...once,
      })
      for (const path of paths) await held.untilHeld(path)

      const running = await untilBatch(account, job_id, ({ failed_urls }) => failed_urls === 1)
      assert.deepEqual([running.status, ...countsOf(running)], ['processing', 0, 1, 0, 3])
      assert.deepEqual(
        running.results.map(({ status, data, metadata }) => [status, data, metadata]),
        [...paths.map(() => ['processing', null, null]), ['failed', null, null]],
      )
      assert.equal(running.completed_at, null)
      for (const [index, path] of paths.entries()) {
        held.heldAt(path)[0]?.answer()
        const next = await untilBatch(account, job_id, (job) => job.completed_urls === index + 1)
        assert.deepEqual(countsOf(next), [index + 1, 1, 0, 2 - index])
        assert.equal(next.token_summary.tokens_charged_total, index + 1)
      }
      const ended = await untilBatchEnded(account, job_id)
      assert.deepEqual([ended.status, ...countsOf(ended)], ['completed', 3, 1, 0, 0])
    })

    await t.test('a batch of failures only is completed', async () => {
      const { job_id } = await submitBatch(account, { urls: [site.url('/reset')], ...once })
      const job = await untilBatchEnded(account, job_id)
      assert.deepEqual([job.status, ...countsOf(job)], ['completed', 0, 1, 0, 0])
      assert.equal(job.token_summary.tokens_charged_total, 0)
    })

    await t.test('a batch of which no page was tried is failed', async () => {
      const idle = await start(t, {
        environment: { ...reachingLoopback, TRAWL_ROLES: 'api,delivery' },
      })
      const owner = await idle.createAccount()
      const { job_id } = await submitBatch(owner, { urls: [site.url('/')] })
      const queued = await getBatch(owner, job_id)
      const [page] = queued.results
      assert.deepEqual([queued.status, page?.status], ['queued', 'queued'])

      await owner.call(`DELETE ${callbackPath}/${page?.task_id}`)

      const job = await untilBatchEnded(owner, job_id)
      assert.deepEqual([job.status, ...countsOf(job)], ['failed', 0, 0, 1, 0])
      assert.equal(job.results[0]?.error_code, 'CANCELLED')
    })

    await t.test('an unknown id is 404, what is no id is 422', async () => {
      for (const id of unknownIds) {
        const response = await account.call(`GET ${batchPath}/${id}`)
        assert.equal(response.statusCode, /^[0-9a-f-]{36}$/.test(id) ? 404 : 422, id)
      }
    })

    await t.test('a whitelisted address reads it without credentials', async () => {
      await account.call('POST /api/configuration/active/whitelisted-ips', {
        ips: [{ ip: '127.0.0.1' }],
      })
      const response = await callApi(service.url, `GET ${batchPath}/${whole}`)
      assert.equal(response.statusCode, 200)
    })
  })
})
