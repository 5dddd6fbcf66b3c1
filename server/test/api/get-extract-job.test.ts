import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExtractJob } from '../../src/wire/scrape/responses.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  reachingLoopback,
  realtimePath,
  scrapeNow,
  submitTask,
  untilDelivery,
  untilStatus,
} from '../support/scrape-calls.ts'
import { ageTask } from '../support/task-age.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const unfinished = { completed_at: null, data: null, metadata: null, error: null }

async function getJob(account: TestAccount, id: string) {
  const answer = await account.call(`GET /v1/extract/${id}`)
  assert.equal(answer.statusCode, 200, answer.text)
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  return ExtractJob.strict().parse(answer.json())
}

onBothStores((kind, start) => {
  test(`${kind}: a task as an extract job`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const { url, createAccount, openBeside } = await start(t, { environment: reachingLoopback })
    const account = await createAccount()

    await t.test('a running task is a processing job', async () => {
      const id = await submitTask(account, { url: held.url('/open') })
      await held.untilHeld('/open')

      const { created_at, ...job } = await getJob(account, id)

      assert.match(created_at, isoTime)
      assert.deepEqual(job, {
        job_id: id,
        status: 'processing',
        ...unfinished,
        tokens_charged: null,
      })
    })

    await t.test('a completed job contains the page', async () => {
      const id = await submitTask(account, { url: site.url('/chain/1') })
      await untilStatus(account, id, 'completed')

      const { created_at, completed_at, metadata, ...job } = await getJob(account, id)
      const { duration_ms, ...facts } = metadata ?? {}

      assert.match(created_at, isoTime)
      assert.match(completed_at ?? '', isoTime)
      assert.ok(Number.isInteger(duration_ms))
      assert.deepEqual(job, {
        job_id: id,
        status: 'completed',
        data: { html: '<p>the end</p>', markdown: null },
        error: null,
        tokens_charged: 1,
      })
      assert.deepEqual(facts, {
        url: site.url('/chain/0'),
        render_js: false,
        http_status: 200,
        retry_count: 0,
        formats: ['html'],
        processing_mode: 'async',
        proxy: null,
        headers: null,
        wait_config: null,
        all_formats: ['html'],
        engine: 'http',
        engine_reason: 'requested',
        content_type: 'text/html; charset=utf-8',
      })
    })

    await t.test('a completed job has JSON as data, whatever the response format', async () => {
      for (const response_format of ['html', 'json']) {
        const configurations = { is_json_response: true, response_format }
        const id = await submitTask(account, { url: site.url('/json'), configurations })
        await untilStatus(account, id, 'completed')

        const { data } = await getJob(account, id)

        // This id has more digits than a JavaScript number keeps.
        const json = { fish: ['cod', 'größer'], id: Number('12345678901234567890') }
        assert.deepEqual(data, { html: null, markdown: null, json })
      }
    })

    await t.test('a realtime task is a job with processing mode sync', async () => {
      const { headers } = await scrapeNow(account, { url: site.url('/status/404') })

      const { status, metadata } = await getJob(account, headers['x-request-id'] ?? '')

      assert.equal(status, 'completed')
      assert.equal(metadata?.processing_mode, 'sync')
      assert.equal(metadata?.http_status, 404)
      assert.deepEqual([metadata?.all_formats, metadata?.engine], [['html'], 'http'])
      assert.match(metadata?.content_type ?? '', /^text\/html/)
    })

    await t.test('a job counts its retries', async () => {
      const scraped = account.call(`POST ${realtimePath}`, { url: held.url('/retried') })
      ;(await held.untilHeld('/retried')).answer(503)
      ;(await held.untilHeld('/retried', 2)).answer()
      const { headers } = await scraped

      assert.equal((await getJob(account, headers['x-request-id'] ?? '')).metadata?.retry_count, 1)
    })

    await t.test('a failed job gets 200 with the error format of extract routes', async () => {
      const configurations = { retries: { useRetries: false } }
      const id = await submitTask(account, { url: site.url('/reset'), configurations })
      await untilStatus(account, id, 'failed')

      const { status, data, metadata, error, tokens_charged } = await getJob(account, id)

      assert.deepEqual([status, data, metadata, tokens_charged], ['failed', null, null, 0])
      assert.equal(error?.code, 'NETWORK_ERROR')
      assert.equal(error?.retryable, true)
      assert.deepEqual(error?.details, { reason: 'TARGET_UNREACHABLE' })
    })

    await t.test('a cancelled task is a cancelled job', async () => {
      const id = await submitTask(account, { url: held.url('/cancelled') })
      await account.call(`DELETE ${callbackPath}/${id}`)

      const { status, completed_at, data, error, tokens_charged } = await getJob(account, id)

      assert.deepEqual([status, data, tokens_charged], ['cancelled', null, 0])
      assert.match(completed_at ?? '', isoTime)
      assert.equal(error?.code, 'CANCELLED')
      assert.equal(error?.retryable, false)
    })

    await t.test('the job stays when its result expires, without data', async () => {
      const callbackUrl = `${receiver.url}/expired`
      const id = await submitTask(account, { url: site.url('/'), callbackUrl })
      await untilDelivery(account, id, 'delivered')

      await ageTask((await openBeside()).db, id, 72.1)

      const { status, data, error, tokens_charged } = await getJob(account, id)
      assert.deepEqual([status, data, error, tokens_charged], ['completed', null, null, 1])
    })

    await t.test('a job is found by its id in any case', async () => {
      const id = await submitTask(account, { url: site.url('/') })

      assert.equal((await getJob(account, id.toUpperCase())).job_id, id)
    })

    await t.test('getting a job without credentials gets 401', async () => {
      assertFailure(await callApi(url, 'GET /v1/extract/x'), 'UNAUTHORIZED')
    })

    await t.test('getting an unknown job id gets 404', async () => {
      const unknown = '11111111-1111-1111-1111-111111111111'

      assertFailure(await account.call(`GET /v1/extract/${unknown}`), 'NOT_FOUND')
    })

    await t.test('getting a job by an id that is not a UUID gets 422', async () => {
      for (const id of ['all', '0', '%00', 'x'.repeat(2000)]) {
        const answer = await account.call(`GET /v1/extract/${id}`)
        assert.deepEqual(faultsIn(answer), ['path.job_id uuid_parsing'])
      }
    })
  })

  test(`${kind}: a task that no worker runs is a queued job`, async (t) => {
    const { createAccount } = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const account = await createAccount()
    const body = { url: 'http://target.test/', callbackUrl: 'http://hooks.test/' }
    const id = await submitTask(account, body)

    const { created_at, ...job } = await getJob(account, id)

    assert.match(created_at, isoTime)
    assert.deepEqual(job, { job_id: id, status: 'queued', ...unfinished, tokens_charged: null })
  })
})
