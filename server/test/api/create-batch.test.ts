import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import {
  batchPath,
  countsOf,
  getBatch,
  submitBatch,
  untilBatchEnded,
} from '../support/batch-calls.ts'
import { callApi } from '../support/call-api.ts'
import { getJob, once } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

const privateUrl = 'http://10.0.0.1/'

onBothStores((kind, start) => {
  test(`${kind}: creating a batch`, async (t) => {
    const site = await startTestSite(t)
    const pages = await startPageSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const submitWithKey = (owner: TestAccount, key: string, body: object) =>
      callApi(service.url, `POST ${batchPath}`, {
        headers: { 'x-api-key': owner.apiKey, 'idempotency-key': key },
        body,
      })

    await t.test('it is accepted with its id, its place and its number of pages', async () => {
      const body = { urls: [site.url('/page/one'), site.url('/page/two')] }
      const response = await account.call(`POST ${batchPath}`, body)

      const { job_id, ...accepted } = response.json()
      assert.equal(response.statusCode, 202)
      assert.match(job_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      assert.equal(response.headers['location'], `/v1/batch/${job_id}`)
      assert.equal(response.headers['x-job-id'], job_id)
      assert.deepEqual(accepted, {
        status: 'queued',
        status_url: `/v1/batch/${job_id}`,
        accepted_urls: 2,
        invalid_urls: [],
        estimated_tokens: 2,
      })
      const job = await untilBatchEnded(account, job_id)
      assert.deepEqual([job.status, job.token_summary.tokens_charged_total], ['completed', 2])
      assert.deepEqual(
        job.results.map(({ data }) => data?.markdown),
        ['one\n', 'two\n'],
      )
      assert.equal(job.results[0]?.data?.html, null)
    })

    await t.test(
      'each URL is fetched, duplicates too, and the results keep the order',
      async () => {
        for (const path of ['/a', '/b']) pages.page(path, `<p>${path}</p>`)
        const order = ['/b', '/a', '/b', '/b']

        const { job_id } = await submitBatch(account, {
          urls: order.map((path) => pages.url(path)),
        })
        const { results } = await untilBatchEnded(account, job_id)

        assert.deepEqual(
          results.map(({ url, input_index }) => [new URL(url).pathname, input_index]),
          order.map((path, index) => [path, index]),
        )
        assert.equal(new Set(results.map(({ task_id }) => task_id)).size, 4)
        assert.deepEqual([pages.askedFor('/a').length, pages.askedFor('/b').length], [1, 3])
      },
    )

    await t.test('invalid URLs are named and left out, but count in input_index', async () => {
      const invalid = ['nonsense', '', 'ftp://a.test/', privateUrl, 'http://[::1', '/relative']
      const urls = [...invalid, site.url('/page/last')]

      const { job_id, ...accepted } = await submitBatch(account, { urls })
      const job = await untilBatchEnded(account, job_id)

      assert.deepEqual([accepted.accepted_urls, accepted.invalid_urls], [1, invalid])
      assert.equal(accepted.estimated_tokens, 1)
      assert.deepEqual([job.total_urls, job.invalid_urls], [1, invalid])
      assert.deepEqual(
        job.results.map(({ input_index, status }) => [input_index, status]),
        [[invalid.length, 'completed']],
      )
    })

    await t.test('credentials of invalid URLs are shown nowhere', async () => {
      const invalid = [
        ['http://someone:secret@10.0.0.1/a', 'http://10.0.0.1/a'],
        ['ftp://someone:secret@a.test/', 'ftp://a.test/'],
        ['http://someone:sec/ret@a.test/', 'http://a.test/'],
        ['http://someone:secret@a b.test/', 'http://a b.test/'],
        ['someone:secret@a.test', 'a.test'],
      ]
      const urls = [...invalid.map(([url]) => url), site.url('/page/shown')]

      const accepted = await submitBatch(account, { urls })
      const ended = await untilBatchEnded(account, accepted.job_id)
      const list = await account.call(`GET ${batchPath}/jobs`)
      const refused = await account.call(`POST ${batchPath}`, { urls, ignore_invalid_urls: false })

      const shown = invalid.map(([, url]) => url)
      assert.deepEqual([accepted.invalid_urls, ended.invalid_urls], [shown, shown])
      assert.equal(refused.statusCode, 422)
      assert.doesNotMatch(list.text + refused.text, /sec.?ret/)
    })

    await t.test(
      'ignore_invalid_urls: false names each invalid URL and stores nothing',
      async () => {
        const other = await service.createAccount()
        const urls = [site.url('/'), 'nonsense', privateUrl]

        const response = await other.call(`POST ${batchPath}`, { urls, ignore_invalid_urls: false })

        assert.equal(response.statusCode, 422)
        assert.deepEqual(places(response.json()), ['body.urls.1', 'body.urls.2'])
        assert.equal(response.json().code, 'VALIDATION_ERROR')
        assert.deepEqual((await other.call(`GET ${batchPath}/jobs`)).json().jobs, [])
      },
    )

    await t.test('without a valid URL there is no batch', async () => {
      for (const ignore_invalid_urls of [true, false, null]) {
        const body = { urls: ['nonsense', privateUrl], ignore_invalid_urls }
        const response = await account.call(`POST ${batchPath}`, body)
        assert.equal(response.statusCode, 422)
        assert.deepEqual(places(response.json()), ['body.urls.0', 'body.urls.1'])
      }
    })

    await t.test('what only DNS shows is a failed result', async () => {
      const urls = ['http://nowhere.invalid/', site.url('/page/fine')]

      const { job_id, accepted_urls } = await submitBatch(account, { urls, ...once })
      const job = await untilBatchEnded(account, job_id)

      assert.equal(accepted_urls, 2)
      assert.deepEqual([job.status, ...countsOf(job)], ['completed', 1, 1, 0, 0])
      const [failed] = job.results
      assert.deepEqual(
        [failed?.status, failed?.error_code, failed?.error_reason],
        ['failed', 'NETWORK_ERROR', 'TARGET_DNS_FAILED'],
      )
      assert.deepEqual([failed?.data, failed?.metadata], [null, null])
      assert.ok(failed?.error_message)
    })

    await t.test('bodies that make no sense are refused', async () => {
      const bad: [body: unknown, place: string][] = [
        [{}, 'body.urls'],
        [{ urls: [] }, 'body.urls'],
        [{ urls: 'http://a.test/' }, 'body.urls'],
        [{ urls: [1] }, 'body.urls.0'],
        [{ urls: Array(1001).fill(site.url('/')) }, 'body.urls'],
        [{ urls: [site.url('/')], formats: [] }, 'body.formats'],
        [{ urls: [site.url('/')], ignore_invalid_urls: 'yes' }, 'body.ignore_invalid_urls'],
        [{ urls: [site.url('/')], callback_url: 'nowhere' }, 'body.callback_url'],
        [{ urls: [site.url('/')], timeout: 1 }, 'body.timeout'],
        [{ urls: [site.url('/')], method: 'POST', render_js: true }, 'body.render_js'],
        [
          { urls: [site.url('/')], configurations: { nonsense: 1 } },
          'body.configurations.nonsense',
        ],
      ]
      for (const [body, place] of bad) {
        const response = await account.call(`POST ${batchPath}`, body)
        assert.equal(response.statusCode, 422, response.text)
        assert.deepEqual(places(response.json()), [place])
      }
    })

    await t.test('a callback to a forbidden address is refused', async () => {
      const body = { urls: [site.url('/')], callback_url: privateUrl }
      const response = await account.call(`POST ${batchPath}`, body)
      assert.deepEqual([response.statusCode, response.json().code], [422, 'URL_NOT_ALLOWED'])
    })

    await t.test('null means not set, and unknown fields are ignored', async () => {
      const body = { urls: [site.url('/')], headers: null, callback_url: null, unknown: 1 }
      const { job_id } = await submitBatch(account, body)
      const { batch_config, delivery } = await untilBatchEnded(account, job_id)
      assert.deepEqual(batch_config, {
        render_js: false,
        formats: ['markdown'],
        all_formats: ['markdown'],
        proxy: { country: null, type: 'residential' },
        headers: null,
        wait_config: null,
      })
      assert.equal(delivery, null)
    })

    await t.test('the shared options hold for each page, and the batch shows them', async () => {
      pages.page('/echo', (request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' })
        response.end(`<h1>${request.headers['x-a']}</h1><a href="/next">next</a>`)
      })
      const { job_id } = await submitBatch(account, {
        urls: [pages.url('/echo'), pages.url('/echo?2')],
        formats: ['html', 'links', 'text'],
        headers: { 'x-a': 'seen', authorization: 'Bearer secret' },
        extract_rules: { title: 'h1' },
        wait_config: { wait_until: 'load' },
      })
      const job = await untilBatchEnded(account, job_id)
      assert.deepEqual(job.batch_config, {
        render_js: false,
        formats: ['html'],
        all_formats: ['html', 'links', 'text'],
        proxy: { country: null, type: 'residential' },
        headers: { 'x-a': 'seen', authorization: '***' },
        wait_config: { wait_until: 'load', wait_for: null, wait_timeout: null },
      })
      for (const { data } of job.results) {
        assert.deepEqual(data?.extracted, { title: 'seen' })
        assert.deepEqual(data?.links, [pages.url('/next')])
        assert.equal(data?.text, 'seen\n\nnext')
      }
    })

    await t.test(
      'render_js auto leaves pages that need no browser to the HTTP engine',
      async () => {
        const { job_id } = await submitBatch(account, { urls: [site.url('/')], render_js: 'auto' })
        const { batch_config, results } = await untilBatchEnded(account, job_id)
        assert.equal(batch_config.render_js, false)
        const { render_js, engine, engine_reason } = results[0]?.metadata ?? {}
        assert.deepEqual([render_js, engine, engine_reason], [false, 'http', 'static'])
        const page = await getJob(account, results[0]?.task_id ?? '')
        assert.deepEqual([page.metadata?.engine, page.status], ['http', 'completed'])
      },
    )

    await t.test('pages of a batch share a session', async () => {
      pages.page('/in', (_, response) => {
        response.writeHead(200, { 'set-cookie': 'a=1', 'content-type': 'text/html' }).end('in')
      })
      pages.page('/cookie', (request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${request.headers.cookie}`)
      })
      const session = 'batch-session'
      const first = await submitBatch(account, { urls: [pages.url('/in')], session })
      await untilBatchEnded(account, first.job_id)
      const second = await submitBatch(account, { urls: [pages.url('/cookie')], session })
      const { results } = await untilBatchEnded(account, second.job_id)
      assert.equal(results[0]?.data?.markdown, 'a=1\n')
    })

    await t.test('the same Idempotency-Key and body answer with the first batch', async () => {
      const body = { urls: [site.url('/page/key'), 'nonsense'] }

      const first = await submitWithKey(account, 'batch-key', body)
      const second = await submitWithKey(account, 'batch-key', body)
      const other = await submitWithKey(account, 'batch-key', { urls: [site.url('/page/other')] })

      assert.deepEqual([first.statusCode, second.statusCode], [202, 202])
      assert.deepEqual(second.json(), first.json())
      assert.equal(first.headers['idempotency-replayed'], undefined)
      assert.equal(second.headers['idempotency-replayed'], 'true')
      assert.equal(other.statusCode, 422)
      assert.deepEqual(places(other.json()), ['header.idempotency-key'])
    })

    await t.test('many requests with one Idempotency-Key make one batch', async () => {
      const owner = await service.createAccount()
      const body = { urls: [site.url('/page/once')] }
      const responses = await Promise.all(
        Array.from({ length: 8 }, () => submitWithKey(owner, 'at-once', body)),
      )
      for (const { statusCode } of responses) assert.ok([202, 409].includes(statusCode))
      const { jobs } = (await owner.call(`GET ${batchPath}/jobs`)).json()
      assert.equal(jobs.length, 1)
    })

    await t.test('a body over 5 MiB is 413, one below is not', async () => {
      const filler = (bytes: number) => ({ urls: [site.url('/')], unknown: 'a'.repeat(bytes) })
      const large = await account.call(`POST ${batchPath}`, filler(5 * 2 ** 20))
      const fits = await account.call(`POST ${batchPath}`, filler(5 * 2 ** 20 - 1000))
      assert.deepEqual([large.statusCode, large.json().code], [413, 'PAYLOAD_TOO_LARGE'])
      assert.equal(fits.statusCode, 202, fits.text)
    })

    await t.test('the body of a request to the target has 256 KiB at most', async () => {
      const submit = (body: unknown) =>
        account.call(`POST ${batchPath}`, { urls: [site.url('/')], method: 'POST', body })
      const bytesMax = 256 * 2 ** 10
      for (const fitting of ['é'.repeat(bytesMax / 2), ['a'.repeat(bytesMax - 4)]]) {
        const { statusCode, text } = await submit(fitting)
        assert.equal(statusCode, 202, text)
      }
      for (const large of [`${'é'.repeat(bytesMax / 2)}a`, ['a'.repeat(bytesMax - 3)]]) {
        const response = await submit(large)
        assert.equal(response.statusCode, 422)
        const { detail } = response.json()
        const msg = 'Input should have at most 262144 bytes'
        assert.deepEqual(detail, [{ loc: ['body', 'body'], msg, type: 'too_long' }])
      }
    })

    await t.test(
      'options that would be stored once for each of many pages are limited',
      async () => {
        const urls = Array(1000).fill(site.url('/'))
        const body = { urls, method: 'POST', body: 'a'.repeat(2 ** 17) }
        const response = await account.call(`POST ${batchPath}`, body)
        assert.deepEqual([response.statusCode, response.json().code], [413, 'PAYLOAD_TOO_LARGE'])
      },
    )

    await t.test('another account sees nothing of it', async () => {
      const stranger = await service.createAccount()
      const { job_id } = await submitBatch(account, { urls: [site.url('/page/mine')] })
      const { results } = await untilBatchEnded(account, job_id)
      const requests = [
        `GET ${batchPath}/${job_id}`,
        `GET ${batchPath}/jobs/${job_id}`,
        `DELETE ${batchPath}/${job_id}`,
        `POST ${batchPath}/${job_id}/retry-failed`,
        `GET /v1/extract/${results[0]?.task_id}`,
      ]
      const unknown = await stranger.call(`GET ${batchPath}/01a1def5-68ae-7e29-9849-4f82ca93e413`)
      const { correlation_id, ...body } = unknown.json()
      for (const request of requests) {
        const response = await stranger.call(request)
        assert.equal(response.statusCode, 404, request)
        if (request.startsWith(`GET ${batchPath}`)) {
          assert.deepEqual(
            { ...response.json(), correlation_id: 0 },
            { ...body, correlation_id: 0 },
          )
        }
      }
      assert.deepEqual((await stranger.call(`GET ${batchPath}/jobs`)).json().jobs, [])
    })

    await t.test('without credentials it is 401', async () => {
      const body = { urls: [site.url('/')] }
      assert.equal((await callApi(service.url, `POST ${batchPath}`, { body })).statusCode, 401)
    })
  })

  test(`${kind}: a batch enters the queue whole or not at all`, async (t) => {
    const held = await startHoldingSite(t)
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_ACCOUNT_QUEUE_MAX: '10' },
    })
    const account = await service.createAccount()
    const urls = (count: number) => Array(count).fill(held.url('/'))

    const full = await account.callWithoutRetry(`POST ${batchPath}`, { urls: urls(11) })
    const { job_id } = await submitBatch(account, { urls: urls(6) })
    const second = await account.callWithoutRetry(`POST ${batchPath}`, { urls: urls(5) })

    for (const refused of [full, second]) {
      assert.deepEqual([refused.statusCode, refused.json().code], [429, 'QUEUE_FULL'])
      assert.match(refused.headers['retry-after'] ?? '', /^\d+$/)
    }
    const { db } = await service.openBeside()
    const [stored] = await db.run(sql<{ jobs: number; tasks: number }>`
      select (select count(*) from jobs) as jobs, (select count(*) from tasks) as tasks`)
    assert.deepEqual({ ...stored }, { jobs: 1, tasks: 6 })
    await submitBatch(account, { urls: urls(4) })
    assert.equal((await getBatch(account, job_id)).total_urls, 6)
  })
})

const places = ({ detail }: { detail: { loc: string[] }[] }): string[] =>
  detail.map(({ loc }) => loc.join('.'))
