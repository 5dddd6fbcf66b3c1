/** How extractions fail: each code of `/v1` with its reason. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAccount } from '../../src/accounts/accounts.ts'
import type { ProcessingMode } from '../../src/domain/scrape/extract-request.ts'
import { ExtractRequest } from '../../src/domain/scrape/extract-request.ts'
import { planExtraction } from '../../src/domain/scrape/plan-extraction.ts'
import { sortableId } from '../../src/runtime/sortable-id.ts'
import { insertLeasedEntry } from '../../src/storage/tables/queue-entries.ts'
import { insertTask, recordAttempts } from '../../src/storage/tables/tasks.ts'
import type { ApiResponse } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import {
  extract,
  extracted,
  extractPath,
  failureIn,
  getJob,
  once,
  untilEnded,
} from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestDns } from '../support/test-dns.ts'
import { onBothStores, type TestAccount, type TestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'

const challenge = '/headers?Content-Type=text/html&'

type Failing = [name: string, path: string, code: string, reason: string, more?: object]

const failing: Failing[] = [
  ['a connection that is reset', '/reset', 'NETWORK_ERROR', 'TARGET_UNREACHABLE'],
  ['a target that does not answer', '/silent', 'TIMEOUT', 'TARGET_TIMEOUT', { timeout: 1000 }],
  ['a body that stalls', '/stuck', 'TIMEOUT', 'TARGET_TIMEOUT', { timeout: 1000 }],
  ['a body that is cut off', '/cut', 'UNPROCESSABLE_CONTENT', 'BAD_RESPONSE'],
  ['endless redirects', '/loop', 'UNPROCESSABLE_CONTENT', 'TOO_MANY_REDIRECTS'],
  ['a large body', `/big/${20 * 2 ** 20 + 1}`, 'UNPROCESSABLE_CONTENT', 'RESPONSE_TOO_LARGE'],
  ['a redirect inside', '/redirect/302?to=http://10.0.0.1/', 'INVALID_URL', 'URL_NOT_ALLOWED'],
  ['a 429', '/status/429', 'TEMPORARY_BLOCK', 'RATE_LIMITED'],
  ['a 407', '/status/407', 'PROXY_ERROR', 'PROXY_FAILED'],
  [
    'a page where JSON is required',
    '/',
    'UNPROCESSABLE_CONTENT',
    'BAD_RESPONSE',
    { configurations: { ...once.configurations, is_json_response: true } },
  ],
  [
    'a challenge of Cloudflare',
    `${challenge}CF-Mitigated=challenge`,
    'CAPTCHA_CHALLENGE',
    'CHALLENGE',
  ],
  ['a challenge by its form', '/challenge-form', 'CAPTCHA_CHALLENGE', 'CHALLENGE'],
  ['a challenge of AWS', `${challenge}X-Amzn-Waf-Action=captcha`, 'CAPTCHA_CHALLENGE', 'CHALLENGE'],
]

onBothStores((kind, start) => {
  test(`${kind}: a failed extraction`, async (t) => {
    const site = await startTestSite(t)
    const service = await start(t, { environment: { ...reachingLoopback, TRAWL_LEASE: '1s' } })
    const account = await service.createAccount()

    for (const [name, path, code, reason, more] of failing) {
      await t.test(`${name} is ${code} because of ${reason}, now and later`, async () => {
        const response = await extract(account, { url: site.url(path), ...once, ...more })

        const { error } = failureIn(response)
        assert.deepEqual([error.code, error.details], [code, { reason }])
        const job = await getJob(account, response.headers['x-job-id'] ?? '')
        assert.deepEqual([job.status, job.data, job.metadata], ['failed', null, null])
        assert.equal(job.tokens_charged, 0)
        assert.deepEqual({ ...job.error, correlation_id: '' }, { ...error, correlation_id: '' })
      })
    }

    await t.test('a message about the time limit names the field of an extraction', async () => {
      const url = site.url('/silent')
      const { error } = failureIn(await extract(account, { url, timeout: 1000, ...once }))

      assert.match(
        error.message,
        /did not answer within \d+ ms; raise timeout, beside configurations, to wait longer\./,
      )
    })

    await t.test('any other status is a completed extraction with its content', async () => {
      for (const status of [401, 403, 404, 500]) {
        const { data, metadata } = await extracted(account, {
          url: site.url(`/status/${status}`),
          ...once,
        })
        assert.deepEqual([metadata.http_status, data.html], [status, `<p>${status}</p>`])
      }
    })

    await t.test('a 429 is tried again before it counts as a block', async () => {
      const url = site.url('/status/429?again')
      const configurations = { retries: { maxRetries: 1 } }
      const { error } = failureIn(await extract(account, { url, configurations }))

      assert.equal(error.code, 'TEMPORARY_BLOCK')
      assert.equal(site.requests.filter(({ path }) => path === '/status/429?again').length, 2)
    })

    await t.test('`timeout` limits all attempts together', async () => {
      const url = site.url('/status/503?late')
      const configurations = { retries: { maxRetries: 10 } }
      const { metadata } = await extracted(account, { url, configurations, timeout: 1200 })

      assert.equal(metadata.http_status, 503)
      assert.ok(metadata.retry_count <= 1, String(metadata.retry_count))
    })

    await t.test('an extraction that is certain to fail is refused without a job', async () => {
      const url = site.url('/never')
      const refusals: [object, code: string, reason: string][] = [
        [{ url: 'http://169.254.169.254/' }, 'INVALID_URL', 'URL_NOT_ALLOWED'],
        [{ url, proxy: { country: 'DE' } }, 'PROXY_ERROR', 'NO_PROXY_AVAILABLE'],
        [{ url, proxy: { type: 'datacenter' } }, 'PROXY_ERROR', 'NO_PROXY_AVAILABLE'],
      ]
      for (const [body, code, reason] of refusals) {
        const response = await extract(account, body)
        const { error, detail } = failureIn(response)
        assert.deepEqual([error.code, error.details, detail], [code, { reason }, undefined])
        assert.equal(response.headers['x-job-id'], undefined)
      }
      const withoutBrowser = await extract(account, { url, render_js: true })
      assertFailure(withoutBrowser, 'BROWSER_UNAVAILABLE')
      assert.equal(site.requests.filter(({ path }) => path === '/never').length, 0)
    })

    await t.test('a proxy of any type is no requirement where no pool exists', async () => {
      const proxy = { type: 'mix' }
      const { metadata } = await extracted(account, { url: site.url('/'), proxy })

      assert.deepEqual(metadata.proxy, { country: null, type: 'mix' })
    })

    await t.test('a POST whose process died while sending it is not sent again', async () => {
      const url = site.url('/once')
      const id = await insertOrphan(service, account, { url, method: 'POST' }, 'async')

      const { status, error } = await untilEnded(account, id)

      assert.deepEqual([status, error?.code], ['failed', 'INTERNAL_ERROR'])
      assert.equal(site.requests.filter(({ path }) => path === '/once').length, 0)
    })

    await t.test('an asynchronous GET whose process died is run again', async () => {
      const id = await insertOrphan(service, account, { url: site.url('/again') }, 'async')

      assert.equal((await untilEnded(account, id)).status, 'completed')
    })

    await t.test('a synchronous one whose process died is cancelled', async () => {
      const id = await insertOrphan(service, account, { url: site.url('/gone') }, 'sync')

      assert.equal((await untilEnded(account, id)).status, 'cancelled')
      assert.equal(site.requests.filter(({ path }) => path === '/gone').length, 0)
    })
  })

  test(`${kind}: a target that has no address or no TLS is NETWORK_ERROR`, async (t) => {
    const site = await startTestSite(t)
    const dns = await startTestDns(t, {})
    const environment = { ...reachingLoopback, TRAWL_DNS_SERVERS: dns.address }
    const account = await (await start(t, { environment })).createAccount()
    const targets: [url: string, reason: string][] = [
      ['http://nowhere.test/', 'TARGET_DNS_FAILED'],
      [site.url('/').replace('http:', 'https:'), 'TARGET_TLS_FAILED'],
    ]
    for (const [url, reason] of targets) {
      const { error } = failureIn(await extract(account, { url, ...once }))
      assert.deepEqual([error.code, error.details], ['NETWORK_ERROR', { reason }])
    }
  })

  test(`${kind}: extractions beyond the queue get 429 and the error object`, async (t) => {
    const environment = { TRAWL_ROLES: 'api', TRAWL_ACCOUNT_QUEUE_MAX: '1' }
    const account = await (await start(t, { environment })).createAccount()
    for (const processing_mode of ['async', 'sync']) {
      const body = { url: 'http://target.test/', processing_mode, timeout: 1000 }
      // The limit is approximate: some may get in before the queue is counted again.
      let refused: ApiResponse | undefined
      await until(async () => {
        refused = await account.callWithoutRetry(`POST ${extractPath}`, body)
        return refused.statusCode === 429
      })
      assert.ok(refused)
      assertFailure(refused, 'QUEUE_FULL')
    }
  })

  test(`${kind}: a synchronous extraction that no worker takes fails at its timeout`, async (t) => {
    const held = await startHoldingSite(t)
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_ROLES: 'api,delivery' },
    })
    const account = await service.createAccount()

    const response = await extract(account, { url: held.url('/'), timeout: 1000 })

    const { error } = failureIn(response)
    assert.deepEqual([error.code, error.details], ['TIMEOUT', { reason: 'EXPIRED' }])
    const job = await getJob(account, response.headers['x-job-id'] ?? '')
    assert.deepEqual([job.status, job.error?.code], ['failed', 'TIMEOUT'])
    assert.deepEqual(held.heldAt('/'), [])
  })
})

/** A task that a process was working on when it died. */
async function insertOrphan(
  service: TestService,
  account: TestAccount,
  body: { url: string; method?: string },
  processingMode: ProcessingMode,
): Promise<string> {
  const { db, sealer } = await service.openBeside()
  const { id: accountId } = await getAccount(db, account.username)
  const id = sortableId()
  const nowMs = db.nowMs()
  const leasedBy = 'a process that died'
  await db.transaction([
    insertTask(sealer, {
      id,
      accountId,
      callbackUrl: null,
      callsBackOnFailure: false,
      request: planExtraction(body.url, ExtractRequest.parse(body), processingMode),
      metadata: null,
      createdAtMs: nowMs,
    }),
    recordAttempts({ id, attempts: 1, attemptLog: [] }),
    insertLeasedEntry(
      {
        id,
        lane: 'http',
        workId: id,
        accountId,
        awaited: processingMode === 'sync' ? { by: leasedBy, untilMs: 0 } : undefined,
      },
      { leasedBy, leasedUntilMs: nowMs - 1, nowMs },
    ),
  ])
  return id
}
