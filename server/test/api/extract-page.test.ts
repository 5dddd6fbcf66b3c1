import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import {
  extract,
  extractPath,
  failureIn,
  faultsOfExtraction,
  getJob,
  submitExtraction,
  untilEnded,
} from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { callbackPath, closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { sitePage } from '../support/test-site-routes.ts'
import { until } from '../support/until.ts'

onBothStores((kind, start) => {
  test(`${kind}: an extraction`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()

    await t.test('a synchronous extraction returns data and metadata of the page', async () => {
      const response = await extract(account, { url: site.url('/redirect/302?to=/encoded/br') })

      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
      const { data, metadata, tokens_charged, ...others } = response.json()
      assert.deepEqual(others, {})
      assert.deepEqual(data, { html: sitePage, markdown: null })
      assert.equal(tokens_charged, 1)
      const { duration_ms, ...rest } = metadata
      assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0)
      assert.deepEqual(rest, {
        url: site.url('/encoded/br'),
        render_js: false,
        http_status: 200,
        retry_count: 0,
        formats: ['html'],
        all_formats: ['html'],
        processing_mode: 'sync',
        proxy: null,
        headers: null,
        wait_config: null,
        engine: 'http',
        engine_reason: 'requested',
        content_type: 'text/html; charset=utf-8',
      })
    })

    await t.test('a synchronous extraction is a job, named by X-Job-Id', async () => {
      const response = await extract(account, { url: site.url('/page/job') })
      const id = response.headers['x-job-id'] ?? ''

      const { status, data, metadata, error, ...job } = await getJob(account, id)
      const again = await account.call(`GET ${extractPath}/jobs/${id}`)

      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.deepEqual([job.job_id, status, error], [id, 'completed', null])
      assert.deepEqual({ data, metadata, tokens_charged: 1 }, response.json())
      assert.deepEqual(again.json().data, data)
    })

    await t.test('an asynchronous extraction answers 202 and can be read later', async () => {
      const url = held.url('/async')
      const response = await extract(account, { url, processing_mode: 'async', formats: ['text'] })
      const { job_id, ...accepted } = response.json()
      const request = await held.untilHeld('/async')
      const before = await getJob(account, job_id)
      request.answer()
      const after = await untilEnded(account, job_id)

      assert.equal(response.statusCode, 202)
      assert.deepEqual(accepted, {
        status: 'queued',
        status_url: `/v1/extract/${job_id}`,
        estimated_tokens: 1,
      })
      assert.equal(response.headers['location'], accepted.status_url)
      assert.equal(response.headers['x-job-id'], job_id)
      assert.deepEqual(
        [before.status, before.data, before.tokens_charged],
        ['processing', null, null],
      )
      assert.deepEqual(after.data, { html: null, markdown: null, text: 'held' })
      assert.deepEqual(after.metadata?.formats, [])
      assert.deepEqual(after.metadata?.all_formats, ['text'])
      assert.deepEqual([after.metadata?.processing_mode, after.tokens_charged], ['async', 1])
    })

    await t.test('an extraction has no callback in the list of scrapes', async () => {
      const id = await submitExtraction(account, { url: site.url('/') })
      await untilEnded(account, id)

      const task = (await account.call(`GET ${callbackPath}/${id}`)).json()
      const result = await account.call(`GET ${callbackPath}/${id}/result`)

      assert.deepEqual([task.callbackUrl, task.delivery], [null, null])
      assert.equal(result.text, sitePage)
    })

    await t.test('a synchronous caller who disconnects cancels it without an event', async () => {
      const caller = await service.createAccount()
      const webhook = { url: `${receiver.url}/left`, event_type: 'extract_completed' }
      const { id: webhookId } = (await caller.call('POST /v1/webhooks', webhook)).json()
      const hangUp = new AbortController()
      const answered = fetch(service.url + extractPath, {
        method: 'POST',
        headers: { 'x-api-key': caller.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ url: held.url('/left') }),
        signal: hangUp.signal,
      }).catch(() => 'hung up')
      const request = await held.untilHeld('/left')

      hangUp.abort()

      assert.equal(await answered, 'hung up')
      await until(() => request.isLeft())
      const [job] = (await caller.call(`GET ${extractPath}/jobs`)).json().jobs
      const { status, error } = await untilEnded(caller, job.job_id)
      assert.deepEqual([status, error?.code], ['cancelled', 'CANCELLED'])
      const deliveries = await caller.call(`GET /v1/webhooks/${webhookId}/deliveries`)
      assert.deepEqual(deliveries.json().items, [])
    })

    await t.test('an extraction that another caller cancels answers 422 CANCELLED', async () => {
      const caller = await service.createAccount()
      const waiting = extract(caller, { url: held.url('/cancelled') })
      await held.untilHeld('/cancelled')
      const [job] = (await caller.call(`GET ${extractPath}/jobs`)).json().jobs

      await caller.call(`DELETE ${callbackPath}/${job.job_id}`)

      const { error } = failureIn(await waiting)
      assert.deepEqual([error.code, error.details], ['CANCELLED', { reason: 'CANCELLED' }])
    })

    const submitAs = (from: TestAccount, key: string, body: object, path = extractPath) =>
      callApi(service.url, `POST ${path}`, {
        headers: { 'x-api-key': from.apiKey, 'idempotency-key': key },
        body,
      })

    await t.test('a repeated key replays the first 202 of an asynchronous one', async () => {
      const body = { url: site.url('/'), processing_mode: 'async', callbackUrl: closedPortUrl }
      const first = await submitAs(account, 'key', body)
      const again = await submitAs(account, 'key', body)
      const other = await submitAs(account, 'key', { ...body, formats: ['text'] })
      const scrape = await submitAs(account, 'key', body, callbackPath)

      assert.equal(first.headers['idempotency-replayed'], undefined)
      assert.deepEqual([again.statusCode, again.text], [202, first.text])
      assert.equal(again.headers['idempotency-replayed'], 'true')
      assert.deepEqual(faultsOfExtraction(other), ['header.idempotency-key value_error'])
      assert.equal(scrape.statusCode, 422)
      const invalid = await submitAs(account, 'x'.repeat(256), body)
      assert.deepEqual(faultsOfExtraction(invalid), [
        'header.idempotency-key string_pattern_mismatch',
      ])
    })

    await t.test('a synchronous extraction ignores an idempotency key', async () => {
      const first = await submitAs(account, 'x'.repeat(256), { url: site.url('/') })
      const again = await submitAs(account, 'x'.repeat(256), { url: site.url('/') })

      assert.deepEqual([first.statusCode, again.statusCode], [200, 200])
      assert.notEqual(first.headers['x-job-id'], again.headers['x-job-id'])
    })

    await t.test('an extraction with wrong credentials gets 401 and an error object', async () => {
      const answer = await callApi(service.url, `POST ${extractPath}`, { body: '{' })

      assertFailure(answer, 'UNAUTHORIZED')
    })
  })
})
