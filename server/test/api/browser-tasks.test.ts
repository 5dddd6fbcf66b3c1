/** Tasks that need a browser: who runs them, who is told that nobody can, what counts for them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../src/domain/failure.ts'
import { putLaneWorker } from '../../src/storage/lane-workers.ts'
import { sql } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  deafUrl,
  getStatus,
  reachingLoopback,
  realtimePath,
  scrapeNow,
  submitTask,
  untilStatus,
} from '../support/scrape-calls.ts'
import { browserStandIn, createTestBrowserEngine } from '../support/test-browser-engine.ts'
import { onBothStores, serviceEnvironment, startTestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const rendered = { js_render: true, retries: { useRetries: false } }
const asJson = { response_format: 'json' }
const page = 'http://127.0.0.1:1025/page'

onBothStores((kind, start) => {
  test(`${kind}: what needs a browser is fetched by it, everything else is not`, async (t) => {
    const site = await startTestSite(t)
    const engine = createTestBrowserEngine()
    const environment = { ...reachingLoopback, ...(await browserStandIn(t)) }
    const service = await start(t, { environment, createBrowserEngine: engine.create })
    const account = await service.createAccount()

    const options = { ...rendered, ...asJson, debug: true }
    const byBrowser = await scrapeNow(account, { url: page, configurations: options })
    const asPage = await scrapeNow(account, { url: page, configurations: rendered })
    const byHttp = await scrapeNow(account, { url: site.url('/page/cod') })
    const id = await submitTask(account, { url: page, configurations: rendered })
    await untilStatus(account, id, 'completed')

    const { html, engine: name, attempts, debug } = byBrowser.json()
    assert.deepEqual(
      { html, name, attempts },
      { html: '<p>rendered</p>', name: 'browser', attempts: 1 },
    )
    assert.equal(debug.attempts[0].engine, 'browser')
    assert.deepEqual([asPage.text, asPage.headers['x-engine']], ['<p>rendered</p>', 'browser'])
    assert.deepEqual([byHttp.text, byHttp.headers['x-engine']], ['<p>cod</p>', 'http'])
    assert.equal(engine.visits.length, 3)
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(metrics, /^trawl_scrape_tasks_total\{engine="browser",outcome="completed"\} 3$/m)
    assert.match(metrics, /^trawl_scrape_tasks_total\{engine="http",outcome="completed"\} 1$/m)
    assert.match(metrics, /^trawl_scrape_task_duration_seconds_count\{engine="browser"\} 3$/m)
    assert.match(metrics, /^trawl_browser_slots\{state="used"\} 0$/m)
    assert.match(metrics, /^trawl_browser_slots\{state="free"\} [1-9]/m)
    assert.match(metrics, /^trawl_browser_sandbox\{state="on"\} 1$/m)
  })

  test(`${kind}: another worker's browser is as good as one's own`, async (t) => {
    const site = await startTestSite(t)
    const engine = createTestBrowserEngine({ isHolding: true })
    const { place } = await createTestStore(t, kind)
    const environment = {
      ...serviceEnvironment(place),
      ...reachingLoopback,
      TRAWL_ACCOUNT_RUNNING_MAX: '1',
    }
    const api = await startTestService(t, { environment: { ...environment, TRAWL_ROLES: 'api' } })
    const account = await api.createAccount()
    const body = { url: page, configurations: rendered }
    const asked = () => account.callOnce(`POST ${realtimePath}`, body)
    const { message } = assertFailure(await asked(), 'BROWSER_UNAVAILABLE')
    const before = (await callApi(api.url, 'GET /capabilities')).json().engines.browser

    await startTestService(t, { environment: { ...environment, TRAWL_ROLES: 'worker' } })
    const withBrowser = await startTestService(t, {
      environment: { ...environment, ...(await browserStandIn(t)), TRAWL_ROLES: 'worker' },
      createBrowserEngine: engine.create,
    })
    const capabilities = async () => (await callApi(api.url, 'GET /capabilities')).json()
    await until(async () => (await capabilities()).engines.browser.state === 'ready', {
      withinMs: 10_000,
    })
    const [first, second] = [await submitTask(account, body), await submitTask(account, body)]
    await engine.untilVisits(1)
    const plain = await scrapeNow(account, { url: site.url('/page/cod') })
    const waiting = (await getStatus(account, second)).status
    engine.visits[0]?.end()
    ;(await engine.untilVisits(2))[1]?.end()

    assert.equal(
      message,
      'This task needs a browser (js_render) but no worker that has one is running. Plain HTTP scraping works. Fix: start a worker on a machine with Chromium.',
    )
    assert.equal(before.state, 'absent')
    assert.equal(plain.text, '<p>cod</p>', 'the worker without a browser has time')
    assert.equal(waiting, 'queued', 'but does not take what it cannot do')
    for (const id of [first, second]) await untilStatus(account, id, 'completed')
    const health = (await callApi(api.url, 'GET /readyz?verbose')).json().checks.browser
    assert.deepEqual([health.ok, health.detail], [true, 'Another worker has Chromium.'])
    assert.equal(engine.probeCount, 0, 'only its own worker tries it out')
    assert.equal(withBrowser.browser.state().state, 'ready')
  })

  test(`${kind}: a task that took three workers down while it was in the browser ends so`, async (t) => {
    const { place } = await createTestStore(t, kind)
    const environment = { ...serviceEnvironment(place), ...reachingLoopback }
    const api = await startTestService(t, { environment: { ...environment, TRAWL_ROLES: 'api' } })
    const account = await api.createAccount()
    const { db } = await api.openBeside()
    const untilMs = db.nowMs() + 60_000
    await db.run(putLaneWorker({ processId: 'another', lane: 'browser', untilMs }))
    const id = await submitTask(account, { url: page, configurations: rendered })
    await db.run(sql`update queue_entries set crashes = 3`)

    const engine = createTestBrowserEngine()
    await startTestService(t, {
      environment: { ...environment, ...(await browserStandIn(t)), TRAWL_ROLES: 'worker' },
      createBrowserEngine: engine.create,
    })
    const { error } = await untilStatus(account, id, 'failed')

    assert.equal(error?.code, 'BROWSER_CRASHED')
    assert.match(error?.message ?? '', /died 3 times/)
    assert.equal(engine.visits.length, 0)
  })

  test(`${kind}: the limits of an account hold for each engine, the queue's for both together`, async (t) => {
    const held = await startHoldingSite(t)
    const engine = createTestBrowserEngine({ isHolding: true })
    const environment = {
      ...reachingLoopback,
      ...(await browserStandIn(t)),
      TRAWL_ACCOUNT_RUNNING_MAX: '1',
      TRAWL_QUEUE_MAX: '4',
    }
    const service = await start(t, { environment, createBrowserEngine: engine.create })
    const account = await service.createAccount()
    const inBrowser = { url: page, configurations: rendered }
    const [firstPage, secondPage] = [
      await submitTask(account, inBrowser),
      await submitTask(account, inBrowser),
    ]
    await submitTask(account, { url: held.url('/first') })
    await submitTask(account, { url: held.url('/second') })
    await held.untilHeld('/first')
    await engine.untilVisits(1)

    for (const body of [inBrowser, { url: held.url('/third') }]) {
      const answer = await account.callOnce(`POST ${callbackPath}`, {
        ...body,
        callbackUrl: deafUrl,
      })
      assertFailure(answer, 'QUEUE_FULL')
    }
    assert.equal((await getStatus(account, secondPage)).status, 'queued')
    assert.equal(held.heldAt('/second').length, 0)
    engine.visits[0]?.end()
    await untilStatus(account, firstPage, 'completed')
    await engine.untilVisits(2)
    engine.visits[1]?.end()
    await untilStatus(account, secondPage, 'completed')
  })
})

test('without Chromium a task that needs it is refused at once, and how to mend it is said', async (t) => {
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()

  const answer = await scrapeNow(account, {
    url: page,
    configurations: { js_render: true, waitForSelector: '#a' },
  })

  const { message } = assertFailure(answer, 'BROWSER_UNAVAILABLE')
  assert.equal(
    message,
    'This task needs a browser (js_render, waitForSelector) but no Chromium was found. Plain HTTP scraping works. Fix: run "npx trawl browser install", or on Debian "sudo apt install chromium-headless-shell", or set TRAWL_BROWSER_PATH.',
  )
  assert.deepEqual((await account.call(`GET ${callbackPath}`)).json().items, [])
})

test('what was accepted is answered again under its key although the browser is gone', async (t) => {
  const { place } = await createTestStore(t, 'sqlite')
  const environment = { ...serviceEnvironment(place), ...reachingLoopback, TRAWL_LEASE: '1s' }
  const engine = createTestBrowserEngine()
  const first = await startTestService(t, {
    environment: { ...environment, ...(await browserStandIn(t)) },
    createBrowserEngine: engine.create,
  })
  const account = await first.createAccount()
  const ask = (url: string, key: string) =>
    callApi(url, `POST ${callbackPath}`, {
      headers: { 'x-api-key': account.apiKey, 'idempotency-key': key },
      body: { url: page, callbackUrl: deafUrl, configurations: rendered },
    })
  const accepted = await ask(first.url, 'the key')
  await first[Symbol.asyncDispose]()
  assert.equal(engine.isDisposed, true)

  const second = await startTestService(t, { environment })
  await until(async () => (await ask(second.url, 'another')).statusCode === 503, {
    withinMs: 10_000,
  })
  const again = await ask(second.url, 'the key')

  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal(again.json().requestId, accepted.json().requestId)
})

test('a browser that crashed is tried again, a screenshot that failed is not', async (t) => {
  const failures = [new Failure('BROWSER_CRASHED', 'gone'), new Failure('SCREENSHOT_FAILED', 'no')]
  const engine = createTestBrowserEngine({
    onVisit: (number) => {
      if (number !== 2) throw failures[number === 1 ? 0 : 1]
    },
  })
  const environment = { ...reachingLoopback, ...(await browserStandIn(t)) }
  const service = await startTestService(t, { environment, createBrowserEngine: engine.create })
  const account = await service.createAccount()
  const body = { url: page, configurations: { js_render: true } }

  const crashed = await scrapeNow(account, body)
  const failed = await scrapeNow(account, body)

  assert.deepEqual([crashed.statusCode, crashed.headers['x-attempts']], [200, '2'])
  const { correlation_id } = assertFailure(failed, 'SCREENSHOT_FAILED')
  assert.equal((await getStatus(account, String(correlation_id))).attempts, 1)
})

test('hanging up ends the visit', async (t) => {
  const engine = createTestBrowserEngine({ isHolding: true })
  const environment = { ...reachingLoopback, ...(await browserStandIn(t)) }
  const service = await startTestService(t, { environment, createBrowserEngine: engine.create })
  const account = await service.createAccount()
  const caller = new AbortController()
  const answered = fetch(service.url + realtimePath, {
    method: 'POST',
    headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ url: page, configurations: rendered }),
    signal: caller.signal,
  }).catch(() => undefined)
  const [visit] = await engine.untilVisits(1)

  caller.abort()
  await answered

  await until(() => visit?.order.signal.aborted === true, { withinMs: 5_000 })
})

test('a browser is tried out for those who ask in full, and not for each of them', async (t) => {
  let isBroken = false
  const engine = createTestBrowserEngine({
    probe: async () => {
      if (isBroken) throw new Error('no page')
    },
  })
  const environment = await browserStandIn(t)
  const service = await startTestService(t, { environment, createBrowserEngine: engine.create })
  await service.browser.whenSettled
  const get = async (path: string) => (await callApi(service.url, `GET ${path}`)).json()

  assert.equal((await get('/health')).status, 'ok')
  assert.equal((await get('/readyz')).status, 'ready')
  assert.equal(engine.probeCount, 0)
  const browser = { state: 'ready', version: '150.0.1.2', flavor: 'shell', sandbox: 'on' }
  assert.deepEqual((await get('/capabilities')).engines.browser, browser)
  isBroken = true
  assert.deepEqual((await get('/readyz?verbose')).checks.browser, {
    ok: true,
    detail: 'Chromium 150.0.1.2 opens pages, its sandbox is on.',
    ...browser,
  })
  assert.equal(engine.probeCount, 1)
})

test('a browser that opens no page makes the service degraded, and keeps nobody away', async (t) => {
  const engine = createTestBrowserEngine({ probe: () => Promise.reject(new Error('no page')) })
  const environment = await browserStandIn(t)
  const service = await startTestService(t, { environment, createBrowserEngine: engine.create })
  await service.browser.whenSettled

  const verbose = await callApi(service.url, 'GET /readyz?verbose')
  const health = await callApi(service.url, 'GET /health')

  assert.equal(verbose.statusCode, 200)
  assert.equal(verbose.json().checks.browser.ok, false)
  assert.doesNotMatch(verbose.text, /no page"/)
  assert.deepEqual([health.statusCode, health.json().status], [200, 'degraded'])
})
