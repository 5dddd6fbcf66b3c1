/**
 * Puts a canary into every field that may hold a secret, then searches every place where a secret
 * could be stored or leak. Credentials of proxies have their own test, `proxy-credentials.slow.test.ts`.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { callApi } from '../support/call-api.ts'
import { type PageSite, startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { callWithRetry } from '../support/retry-while-unavailable.ts'
import { callbackPath, reachingLoopback, realtimePath } from '../support/scrape-calls.ts'
import { assertNone, base64FormsWithin, dumpStore, formsOf } from '../support/store-dump.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

/** Values that a caller sends and only the target may see. */
const sent = {
  urlPassword: 'canary-url-password!',
  cookie: 'canary-cookie-sent',
  keptHeader: 'canary-kept-header',
  authorization: 'canary-authorization',
  cookieHeader: 'canary-cookie-header',
  proxyAuthorization: 'canary-proxy-authorization',
  localStorage: 'canary-local-storage',
  typed: 'canary-typed-value',
  filled: 'canary-filled-value',
  script: 'canary-in-a-script',
  operatorPassword: 'canary-password-of-the-operator',
  operatorKey: 'canary-key-of-the-operator',
  operatorSecret: 'canary-callback-secret-of-the-operator',
}

/** Values that the owner may read again in responses, but that must not be stored or logged. */
const echoed = {
  urlQuery: 'canary-url-query',
  callbackQuery: 'canary-callback-query',
  webhookQuery: 'canary-webhook-query',
  metadata: 'canary-metadata',
  thrown: 'canary-thrown-by-script',
  setCookie: 'canary-cookie-of-target',
  answerHeader: 'canary-header-of-target',
  collected: 'canary-collected-answer',
  logged: 'canary-logged-by-page',
  stepValue: 'canary-value-of-step',
}

const allForms = (secrets: Iterable<string>): string[] =>
  [...secrets].flatMap((secret) => [...formsOf(secret), ...base64FormsWithin(secret)])

function startSite(site: PageSite): void {
  site.page('/form', (_, response) => {
    const headers = {
      'content-type': 'text/html',
      'set-cookie': `session=${echoed.setCookie}; Path=/`,
      'x-token': echoed.answerHeader,
    }
    const script = `console.log('canary-logged' + '-by-page')
      const asking = new XMLHttpRequest()
      asking.open('GET', location.origin + '/data', false)
      asking.send()`
    response.writeHead(200, headers).end(`<input id=i><input id=j><script>${script}</script>`)
  })
  site.page('/data', (_, response) => response.end(echoed.collected))
  site.page('/reset', (request) => request.socket.resetAndDestroy())
}

const scenario = [
  { action: 'type', selector: '#i', value: sent.typed },
  { action: 'fill', selector: '#j', value: sent.filled },
  { action: 'evaluate', value: `'${sent.script}'.length` },
  { action: 'evaluate', value: `'canary-value' + '-of-step'` },
]

const engines = {
  http: { ended: {}, failed: {} },
  browser: {
    ended: {
      js_render: true,
      localStorage: { token: sent.localStorage },
      collect_data_from_requests: true,
      screenshot: { use: true },
      js_scenario: { actions: scenario },
    },
    failed: {
      localStorage: { token: sent.localStorage },
      js_scenario: {
        actions: [...scenario, { action: 'evaluate', value: `throw '${echoed.thrown}'` }],
      },
    },
  },
}

/** Requests that succeed, fail at the target and fail in the page. */
function requestsTo(site: PageSite, callbackUrl: string): Record<string, unknown>[] {
  const urlTo = (path: string) => {
    const url = new URL(site.url(`${path}?token=${echoed.urlQuery}`))
    url.username = 'someone'
    url.password = sent.urlPassword
    return url.href
  }
  const common = {
    keep_headers: true,
    debug: true,
    response_format: 'json',
    retries: { useRetries: false },
    cookies: [{ name: 'token', value: sent.cookie, domain: '127.0.0.1' }],
  }
  const requestFor = (path: string, configurations: object) => ({
    url: urlTo(path),
    callbackUrl: `${callbackUrl}?token=${echoed.callbackQuery}`,
    metadata: { note: echoed.metadata },
    configurations: { ...common, ...configurations },
  })
  return Object.values(engines).flatMap(({ ended, failed }) => [
    requestFor('/form', ended),
    requestFor('/reset', ended),
    requestFor('/form', failed),
  ])
}

const malformed = [
  { url: `http://someone:${sent.urlPassword}@ /`, callbackUrl: 'x' },
  { url: 'http://a.test/', callbackUrl: `http://someone:${sent.urlPassword}@a.test/` },
  { url: 'http://a.test/', configurations: { cookies: [{ name: 'a', value: [sent.cookie] }] } },
  { url: 'http://a.test/', configurations: { cookies: sent.cookie } },
  { url: 'http://a.test/', configurations: { localStorage: { a: { b: sent.localStorage } } } },
  { configurations: { js_scenario: { actions: [{ action: 'type', value: sent.typed }] } } },
  { configurations: { js_scenario: { actions: [{ action: 'evaluate', value: [sent.script] }] } } },
]

const callerHeaders = ({ apiKey }: TestAccount) => ({
  'x-api-key': apiKey,
  'x-kept': sent.keptHeader,
  cookie: `a=${sent.cookieHeader}`,
  'proxy-authorization': `Basic ${sent.proxyAuthorization}`,
})

onBothStores((kind, start) => {
  test(`${kind}: secrets of requests are in no dump, log, metric, list, status, debug or error`, async (t) => {
    const logged: string[] = []
    const site = await startPageSite(t)
    startSite(site)
    const receiver = await startTestReceiver(t)
    // The worst receiver: it echoes what it was sent and fails, so that it gets it again.
    receiver.behave(({ body }, response) => void response.writeHead(500).end(body))
    const service = await start(t, {
      log: pino({ level: 'trace' }, { write: (line) => void logged.push(line) }),
      environment: {
        ...reachingLoopback,
        ...(await withBrowser()),
        TRAWL_DELIVERY_SCHEDULE: '0s,50ms',
        TRAWL_PASSWORD: sent.operatorPassword,
        TRAWL_API_KEY: sent.operatorKey,
        TRAWL_CALLBACK_SECRET: sent.operatorSecret,
      },
    })
    await service.browser.whenSettled
    const account = await service.createAccount()
    const url = `${receiver.url}/hook?token=${echoed.webhookQuery}`
    const webhook = { url, event_type: 'extract_completed' }
    const hook = (await account.call('POST /v1/webhooks', webhook)).json()
    const requests = requestsTo(site, `${receiver.url}/callback`)
    const post = (path: string, body: unknown, key: string) =>
      callWithRetry(() =>
        callApi(service.url, `POST ${path}`, {
          headers: { ...callerHeaders(account), 'idempotency-key': key },
          body,
        }),
      )

    const ids: string[] = []
    const results: string[] = []
    for (const [index, request] of requests.entries()) {
      const accepted = await post(callbackPath, request, `key-${index}`)
      assert.equal(accepted.statusCode, 202, accepted.text)
      ids.push(accepted.json().requestId)
      results.push((await post(realtimePath, request, `now-${index}`)).text)
    }
    await untilAllGivenUp(account, ids)
    const wrong = { authorization: `Bearer ${sent.authorization}` }
    const unauthorized = await callApi(service.url, `GET ${callbackPath}`, { headers: wrong })
    assert.equal(unauthorized.statusCode, 401)

    const secrets = [...Object.values(sent), account.password, account.apiKey]
    secrets.push(account.callbackSecret, hook.secret)
    const hidden = allForms(secrets)
    const atRest = [...hidden, ...allForms(Object.values(echoed))]
    await assertWorked(t, { site, results })
    const store = await service.openBeside()
    assertNone('The store', await dumpStore(store.db, service.dataDir), atRest)
    assert.ok(logged.length > 0)
    assertNone('The log', logged.join('\n'), atRest)
    assertNone('What anybody can read', await publicTexts(service.url), atRest)
    assertNone('A status or list', await listed(account, ids, hook.id), hidden)
    const debugs = results.map((text) => JSON.stringify(JSON.parse(text).debug ?? text))
    assertNone('What debug says', debugs.join('\n'), hidden)
    const refused = await Promise.all(malformed.map((body) => post(callbackPath, body, 'm')))
    for (const { statusCode } of refused) assert.ok(statusCode === 422 || statusCode === 403)
    assertNone('An error', [...refused, unauthorized].map(({ text }) => text).join('\n'), hidden)
    assertNone('A callback', receiver.received.map(({ body }) => body).join('\n'), [
      ...allForms([sent.urlPassword, sent.keptHeader, sent.authorization, sent.typed]),
    ])
  })
})

/** Asserts that the canaries were really used; otherwise the search would prove nothing. */
async function assertWorked(
  t: TestContext,
  { site, results }: { site: PageSite; results: readonly string[] },
): Promise<void> {
  const heard = site.askedFor(`/form?token=${echoed.urlQuery}`)
  assert.ok(heard.length >= 6, `${heard.length} requests`)
  const user = Buffer.from(`someone:${sent.urlPassword}`).toString('base64')
  for (const { headers } of heard) {
    assert.equal(headers['x-kept'], sent.keptHeader)
    assert.match(headers.cookie ?? '', new RegExp(sent.cookie))
  }
  assert.ok(heard.some(({ headers }) => headers.authorization === `Basic ${user}`))
  const all = results.join('\n')
  for (const canary of Object.values(echoed).slice(4)) {
    assert.ok(all.includes(canary), `${canary} is in no result`)
  }
  t.diagnostic(`${heard.length} visits, ${results.length} realtime answers`)
}

/** Each callback is sent twice; the second attempt is built from the store. */
async function untilAllGivenUp(account: TestAccount, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await until(async () => {
      const { delivery } = (await account.call(`GET ${callbackPath}/${id}`)).json()
      return delivery.status === 'failed' && delivery.attempts === 2
    })
  }
}

async function listed(account: TestAccount, ids: readonly string[], hookId: string) {
  const paths = [
    callbackPath,
    '/v1/webhooks',
    `/v1/webhooks/${hookId}`,
    `/v1/webhooks/${hookId}/deliveries`,
    ...ids.map((id) => `${callbackPath}/${id}`),
  ]
  const answers = await Promise.all(paths.map((path) => account.call(`GET ${path}`)))
  for (const { statusCode, text } of answers) assert.equal(statusCode, 200, text)
  return answers.map(({ text, headers }) => text + JSON.stringify(headers)).join('\n')
}

async function publicTexts(url: string): Promise<string> {
  const paths = ['/metrics', '/capabilities', '/readyz?verbose', '/health', '/pressure']
  const answers = await Promise.all(paths.map((path) => callApi(url, `GET ${path}`)))
  return answers.map(({ text }) => text).join('\n')
}
