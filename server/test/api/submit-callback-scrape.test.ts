import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basicOf, callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import {
  callbackPath,
  closedPortUrl,
  getStatus,
  reachingLoopback,
} from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores, startTestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

const ask = `POST ${callbackPath}`
const uuidOfVersion7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

onBothStores((kind, start) => {
  test(`${kind}: submitting a scrape with a callback`, async (t) => {
    const site = await startTestSite(t)
    const receiver = await startTestReceiver(t)
    const { url, createAccount } = await start(t, { environment: reachingLoopback })
    const account = await createAccount()

    await t.test('submitting gets 202 with a UUID version 7 and its status URL', async () => {
      const answer = await account.call(ask, { url: site.url('/'), callbackUrl: closedPortUrl })
      const { requestId, createdAt, ...rest } = answer.json()
      const followed = await account.call(`GET ${callbackPath}/${requestId}`)

      assert.equal(answer.statusCode, 202)
      assert.match(requestId, uuidOfVersion7)
      assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepEqual(rest, {
        status: 'queued',
        statusUrl: `${url}${callbackPath}/${requestId}`,
      })
      assert.equal(answer.headers['location'], `${callbackPath}/${requestId}`)
      assert.ok(answer.headers['x-request-id'])
      assert.equal(answer.headers['idempotency-replayed'], undefined)
      assert.equal(followed.statusCode, 200)
      assert.equal(followed.json().createdAt, createdAt)
    })

    await t.test('the result is posted to the callback URL with the task id', async () => {
      const { requestId } = (
        await account.call(ask, {
          url: site.url('/page/cod'),
          callbackUrl: `${receiver.url}/posted`,
          metadata: { order: 7 },
        })
      ).json()

      const [posted] = await receiver.arrivals(1, '/posted')

      assert.equal(posted?.headers['x-request-id'], requestId)
      assert.deepEqual(
        { ...posted?.json, createdAt: '', completedAt: '' },
        {
          requestId,
          status: 'completed',
          url: site.url('/page/cod'),
          createdAt: '',
          completedAt: '',
          attempts: 1,
          metadata: { order: 7 },
          result: { statusCode: 200, url: site.url('/page/cod'), html: '<p>cod</p>' },
          error: null,
        },
      )
    })

    await t.test('a failure is posted to the callback URL unless the caller opts out', async () => {
      const refused = { url: closedPortUrl, configurations: { retries: { maxRetries: 0 } } }
      const told = { ...refused, callbackUrl: `${receiver.url}/failed` }
      await account.call(ask, { ...told, callback_on_failure: false })
      const { requestId } = (await account.call(ask, told)).json()

      const [posted] = await receiver.arrivals(1, '/failed')

      assert.equal(posted?.json.requestId, requestId)
      assert.equal(posted?.json.status, 'failed')
      assert.equal(posted?.json.result, null)
      assert.deepEqual(Object.keys(posted?.json.error), ['code', 'message', 'retryable'])
      assert.equal(posted?.json.error.code, 'TARGET_UNREACHABLE')
    })

    await t.test('every kind of credential can submit a scrape', async () => {
      const offers = [
        { authorization: basicOf(account.username, account.password) },
        { authorization: `Bearer ${account.apiKey}` },
        { 'x-api-key': account.apiKey },
      ]
      const body = { url: site.url('/'), callbackUrl: closedPortUrl }

      for (const headers of offers) {
        assert.equal((await callApi(url, ask, { headers, body })).statusCode, 202)
      }
    })

    await t.test('submitting with wrong credentials gets 401 before the body is read', async () => {
      for (const headers of [{}, { 'x-api-key': 'wrong' }]) {
        assertFailure(await callApi(url, ask, { headers, body: '{"url":' }), 'UNAUTHORIZED')
      }
    })
  })
})

const good = { url: 'http://target.test/', callbackUrl: 'http://hooks.test/in' }
const withOptions = (configurations: unknown) => ({ ...good, configurations })

/** What public clients send for unset fields, and other valid spellings. */
const rightBodies: Record<string, unknown> = {
  'no options': good,
  'options that are null': withOptions(null),
  'empty options': withOptions({}),
  'unknown fields beside the options': { ...good, formats: ['html'], nonsense: {} },
  'nulls beside the options': {
    ...good,
    metadata: null,
    timeout_ms: null,
    callback_on_failure: null,
  },
  'nulls for options': withOptions({
    mode: null,
    waitForSelector: null,
    device_type: null,
    viewport: null,
    country_code: null,
    js_render: null,
  }),
  'an empty country': withOptions({ country_code: '' }),
  'an empty list of local storage': withOptions({ localStorage: [] }),
  'empty objects': withOptions({
    screenshot: {},
    optimizations: {},
    retries: {},
    proxy: {},
    viewport: {},
    localStorage: {},
    HTMLMinifier: {},
    js_scenario: {},
  }),
  'a scenario without actions': withOptions({ js_scenario: { actions: [] } }),
  'a screenshot that is not taken': withOptions({
    screenshot: { use: false, options: { type: 'webp' } },
  }),
  'a cookie without a domain': withOptions({ cookies: [{ name: 'a', value: 'b' }] }),
  'the largest numbers': { ...withOptions({ retries: { maxRetries: 10 } }), timeout_ms: 300_000 },
  'the smallest numbers': { ...withOptions({ retries: { maxRetries: 0 } }), timeout_ms: 1000 },
  'the longest URL': { ...good, url: `http://target.test/${'x'.repeat(8192 - 19)}` },
  'the largest metadata': { ...good, metadata: { a: 'x'.repeat(4096 - 8) } },
}

const wrongBodies: Record<string, [body: unknown, faults: string[]]> = {
  'an empty object': [{}, ['body.url missing', 'body.callbackUrl missing']],
  'a list': [[], ['body dict_type']],
  'broken JSON': ['{"url":', ['body json_invalid']],
  'texts that are no HTTP URLs': [
    { url: 'target.test', callbackUrl: 'ftp://hooks.test/' },
    ['body.url url_parsing', 'body.callbackUrl url_parsing'],
  ],
  'numbers for URLs': [
    { url: 1, callbackUrl: null },
    ['body.url string_type', 'body.callbackUrl missing'],
  ],
  'a URL of more than 8 KiB': [
    { ...good, url: `http://target.test/${'x'.repeat(8192 - 18)}` },
    ['body.url string_too_long'],
  ],
  'an unknown option': [
    withOptions({ js_rendr: true }),
    ['body.configurations.js_rendr extra_forbidden'],
  ],
  'an unknown nested option': [
    withOptions({ retries: { maxRetry: 1 } }),
    ['body.configurations.retries.maxRetry extra_forbidden'],
  ],
  'too many retries': [
    withOptions({ retries: { maxRetries: 11 } }),
    ['body.configurations.retries.maxRetries less_than_equal'],
  ],
  'a negative number of retries': [
    withOptions({ retries: { maxRetries: -1 } }),
    ['body.configurations.retries.maxRetries greater_than_equal'],
  ],
  'a viewport out of bounds': [
    withOptions({ viewport: { width: 0, height: 8193, deviceScaleFactor: 4.1 } }),
    [
      'body.configurations.viewport.width greater_than_equal',
      'body.configurations.viewport.height less_than_equal',
      'body.configurations.viewport.deviceScaleFactor less_than_equal',
    ],
  ],
  'an unknown mode': [withOptions({ mode: 'fast' }), ['body.configurations.mode literal_error']],
  'a text for a boolean': [
    withOptions({ js_render: 'true' }),
    ['body.configurations.js_render bool_type'],
  ],
  'a cookie without a name, by its index': [
    withOptions({ cookies: [{ name: 'a', value: 'b' }, { value: 'c' }] }),
    ['body.configurations.cookies.1.name missing'],
  ],
  'metadata over 4 KiB': [
    { ...good, metadata: { a: 'x'.repeat(4096 - 7) } },
    ['body.metadata too_long'],
  ],
  'metadata that is a list': [{ ...good, metadata: [] }, ['body.metadata dict_type']],
  'a timeout that is too short': [
    { ...good, timeout_ms: 999 },
    ['body.timeout_ms greater_than_equal'],
  ],
  'a timeout that is too long': [
    { ...good, timeout_ms: 300_001 },
    ['body.timeout_ms less_than_equal'],
  ],
}

test('validating the body of a callback scrape', async (t) => {
  const { createAccount } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const account = await createAccount()

  for (const [name, body] of Object.entries(rightBodies)) {
    await t.test(`a valid body gets 202: ${name}`, async () => {
      const answer = await account.call(ask, body)

      assert.equal(answer.statusCode, 202, answer.text)
    })
  }

  for (const [name, [body, faults]] of Object.entries(wrongBodies)) {
    await t.test(`an invalid body gets 422: ${name}`, async () => {
      assert.deepEqual(faultsIn(await account.call(ask, body)), faults)
    })
  }

  await t.test('an unknown option gets 422 with the nearest name, not the input', async () => {
    const answer = await account.call(ask, withOptions({ js_rendr: 'the-input' }))

    assert.match(answer.json().detail[0].msg, /did you mean 'js_render'\?/)
    assert.doesNotMatch(answer.text, /the-input/)
  })

  await t.test('a body over 256 KiB gets 413', async () => {
    const body = { ...good, padding: 'x'.repeat(256 * 1024) }

    assertFailure(await account.call(ask, body), 'PAYLOAD_TOO_LARGE')
  })

  await t.test('refused bodies create no task', async () => {
    const { items } = (await account.call(`GET ${callbackPath}`)).json()

    assert.equal(items.length, Object.keys(rightBodies).length)
  })
})

test('a callback scrape that is certain to fail', async (t) => {
  const { createAccount } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const account = await createAccount()

  const forbidden = [
    'http://127.0.0.1/',
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0x7f.1/',
    'http://localhost/',
  ]
  for (const address of forbidden) {
    await t.test(`${address} as a target gets 422 URL_NOT_ALLOWED`, async () => {
      assertFailure(await account.call(ask, { ...good, url: address }), 'URL_NOT_ALLOWED')
    })
  }

  await t.test('a private address as a callback URL gets 422 URL_NOT_ALLOWED', async () => {
    for (const callbackUrl of ['http://10.0.0.1/', 'http://169.254.169.254/']) {
      assertFailure(await account.call(ask, { ...good, callbackUrl }), 'URL_NOT_ALLOWED')
    }
  })

  const needingBrowser = {
    js_render: true,
    screenshot: { use: true },
    waitForSelector: '#a',
    localStorage: { a: 'b' },
    collect_data_from_requests: true,
    viewport: { width: 100 },
    js_scenario: { actions: [{ action: 'wait', value: 1 }] },
  }
  for (const [name, value] of Object.entries(needingBrowser)) {
    await t.test(`without a browser the option ${name} gets 503 BROWSER_UNAVAILABLE`, async () => {
      const answer = await account.call(ask, withOptions({ [name]: value }))

      assertFailure(answer, 'BROWSER_UNAVAILABLE')
    })
  }

  await t.test('a country or type that no proxy has gets 422 NO_PROXY_AVAILABLE', async () => {
    for (const options of [{ country_code: 'de' }, { proxy: { useOnlyResidential: true } }]) {
      assertFailure(await account.call(ask, withOptions(options)), 'NO_PROXY_AVAILABLE')
    }
  })

  await t.test('refused scrapes create no task', async () => {
    assert.deepEqual((await account.call(`GET ${callbackPath}`)).json().items, [])
  })
})

test('links in responses start with the public URL that the operator set', async (t) => {
  const environment = { TRAWL_ROLES: 'api', TRAWL_PUBLIC_URL: 'https://trawl.example/here/' }
  const { createAccount } = await startTestService(t, { environment })
  const account = await createAccount()

  const { requestId, statusUrl } = (await account.call(ask, good)).json()

  assert.equal(statusUrl, `https://trawl.example/here${callbackPath}/${requestId}`)
})

test('a whitelisted address needs no credentials for scrapes and jobs, but for webhooks', async (t) => {
  const { url, createAccount } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const account = await createAccount()
  assertFailure(await callApi(url, ask, { body: good }), 'UNAUTHORIZED')

  await account.call('POST /api/configuration/active/whitelisted-ips', {
    ips: [{ ip: '127.0.0.1' }],
  })
  const answer = await callApi(url, ask, { body: good })

  assert.equal(answer.statusCode, 202, answer.text)
  const { requestId } = answer.json()
  assert.equal((await getStatus(account, requestId)).status, 'queued')
  for (const path of [`${callbackPath}/${requestId}`, `/v1/extract/${requestId}`]) {
    assert.equal((await callApi(url, `GET ${path}`)).statusCode, 200)
  }
  assertFailure(await callApi(url, 'GET /v1/webhooks'), 'UNAUTHORIZED')
})
