/** Tasks that need a browser: which worker runs them, when they are refused, which limits apply. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { putLaneWorker } from '../../src/storage/tables/lane-workers.ts'
import { killAtOnce, listBrowsers, listRenderers } from '../support/browser-processes.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import {
  callbackPath,
  closedPortUrl,
  getStatus,
  reachingLoopback,
  realtimePath,
  scrapeNow,
  submitTask,
  untilStatus,
} from '../support/scrape-calls.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { onBothStores, serviceEnvironment, startTestService } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const rendered = { js_render: true, retries: { useRetries: false } }
const asJson = { response_format: 'json' }
const nowhere = 'http://127.0.0.1:1025/page'

/** A program that reports a browser's version; for all other arguments it runs this script. */
async function writeBrowser(t: TestContext, script: string): Promise<string> {
  const path = join(await scratchFolder(t), 'chromium-headless-shell')
  await rewriteBrowser(path, script)
  return path
}

async function rewriteBrowser(path: string, script: string): Promise<void> {
  const version = '[ "$1" = --version ] && echo Chromium 150.0.1.2 && exit'
  await writeFile(path, `#!/bin/sh\n${version}\n${script}\n`)
  await chmod(path, 0o755)
}

onBothStores((kind, start) => {
  test(`${kind}: tasks that need a browser are fetched by it, all others over HTTP`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', '<p>plain</p><script>document.body.innerHTML = "<p>rendered</p>"</script>')
    const environment = { ...reachingLoopback, ...(await withBrowser()) }
    const service = await start(t, { environment })
    const account = await service.createAccount()
    const url = site.url('/')

    const options = { ...rendered, ...asJson, debug: true }
    const byBrowser = await scrapeNow(account, { url, configurations: options })
    const asPage = await scrapeNow(account, { url, configurations: rendered })
    const byHttp = await scrapeNow(account, { url })
    const id = await submitTask(account, { url, configurations: rendered })
    await untilStatus(account, id, 'completed')

    const { html, engine: name, attempts, debug } = byBrowser.json()
    const shown = '<html><head></head><body><p>rendered</p></body></html>'
    assert.deepEqual({ html, name, attempts }, { html: shown, name: 'browser', attempts: 1 })
    assert.equal(debug.attempts[0].engine, 'browser')
    assert.deepEqual([asPage.text, asPage.headers['x-engine']], [shown, 'browser'])
    assert.match(byHttp.text, /^<p>plain<\/p><script>/)
    assert.equal(byHttp.headers['x-engine'], 'http')
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(metrics, /^trawl_scrape_tasks_total\{engine="browser",outcome="completed"\} 3$/m)
    assert.match(metrics, /^trawl_scrape_tasks_total\{engine="http",outcome="completed"\} 1$/m)
    assert.match(metrics, /^trawl_scrape_task_duration_seconds_count\{engine="browser"\} 3$/m)
    assert.match(metrics, /^trawl_browser_slots\{state="used"\} 0$/m)
    assert.match(metrics, /^trawl_browser_slots\{state="free"\} [1-9]/m)
    assert.match(metrics, /^trawl_browser_sandbox\{state="(?:on|off)"\} 1$/m)
  })

  test(`${kind}: the browser of another worker process runs the tasks of an API without one`, async (t) => {
    const held = await startHoldingSite(t)
    const { place } = await createTestStore(t, kind)
    const environment = {
      ...serviceEnvironment(place),
      ...reachingLoopback,
      TRAWL_ACCOUNT_RUNNING_MAX: '1',
    }
    const api = await startTestService(t, { environment: { ...environment, TRAWL_ROLES: 'api' } })
    const account = await api.createAccount()
    const page = (path: string) => ({ url: held.url(path), configurations: rendered })
    const asked = () => account.callWithoutRetry(`POST ${realtimePath}`, page('/'))
    const { message } = assertFailure(await asked(), 'BROWSER_UNAVAILABLE')
    const before = (await callApi(api.url, 'GET /capabilities')).json().engines.browser

    const worker = { ...environment, TRAWL_ROLES: 'worker' }
    await startTestService(t, { environment: worker })
    const hasOne = await startTestService(t, {
      environment: { ...worker, ...(await withBrowser()) },
    })
    const capabilities = async () => (await callApi(api.url, 'GET /capabilities')).json()
    await until(async () => (await capabilities()).engines.browser.state === 'ready')
    const health = (await callApi(api.url, 'GET /readyz?verbose')).json().checks.browser
    const browsersBefore = listBrowsers().length
    const first = await submitTask(account, page('/first'))
    const firstHeld = await held.untilHeld('/first')
    const second = await submitTask(account, page('/second'))
    const plainId = await submitTask(account, { url: held.url('/plain') })
    ;(await held.untilHeld('/plain')).answer()
    await untilStatus(account, plainId, 'completed')
    const waiting = (await getStatus(account, second)).status
    firstHeld.answer()
    ;(await held.untilHeld('/second')).answer()

    assert.equal(
      message,
      'This task needs a browser (js_render) but no worker that has one is running. Plain HTTP scraping works. Fix: start a worker on a machine with Chromium.',
    )
    assert.equal(before.state, 'absent')
    assert.equal(waiting, 'queued', 'the worker without a browser has time, but cannot do it')
    for (const id of [first, second]) await untilStatus(account, id, 'completed')
    assert.deepEqual([health.ok, health.detail], [true, 'Another worker has Chromium.'])
    assert.equal(browsersBefore, 0, 'only its own worker tries it out')
    assert.equal(hasOne.browser.state().state, 'ready')
  })

  test(`${kind}: while a task that crashed two workers runs, no page is opened beside it`, async (t) => {
    const held = await startHoldingSite(t)
    const service = await start(t, {
      environment: { ...reachingLoopback, ...(await withBrowser()), TRAWL_HTTP_CONCURRENCY: '1' },
    })
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    await until(() => service.browser.state().state === 'ready')
    await submitTask(account, { url: held.url('/first') })
    const first = await held.untilHeld('/first')
    const suspectId = await submitTask(account, { url: held.url('/suspect') })
    await db.run(sql`
      update queue_entries set crashes = 2, flow = account_id || '/~~/' where work_id = ${suspectId}`)
    first.answer()
    const suspect = await held.untilHeld('/suspect')

    // A page would be started with its acceptance, since the browser has nothing to do.
    const pageId = await submitTask(account, { url: held.url('/'), configurations: rendered })
    const beside = (await getStatus(account, pageId)).status
    suspect.answer()
    ;(await held.untilHeld('/')).answer()

    assert.equal(beside, 'queued')
    await untilStatus(account, pageId, 'completed')
  })

  test(`${kind}: a browser task that crashed three workers fails as a poison task`, async (t) => {
    const site = await startPageSite(t)
    const { place } = await createTestStore(t, kind)
    const environment = { ...serviceEnvironment(place), ...reachingLoopback }
    const api = await startTestService(t, { environment: { ...environment, TRAWL_ROLES: 'api' } })
    const account = await api.createAccount()
    const { db } = await api.openBeside()
    const untilMs = db.nowMs() + 60_000
    await db.run(putLaneWorker({ processId: 'another', lane: 'browser', slots: 1, untilMs }))
    const id = await submitTask(account, { url: site.url('/'), configurations: rendered })
    await db.run(sql`update queue_entries set crashes = 3`)

    await startTestService(t, {
      environment: { ...environment, ...(await withBrowser()), TRAWL_ROLES: 'worker' },
    })
    const { error } = await untilStatus(account, id, 'failed')

    assert.equal(error?.code, 'BROWSER_CRASHED')
    assert.match(error?.message ?? '', /died 3 times/)
    assert.deepEqual(site.asked, [])
  })

  test(`${kind}: account limits apply to each engine, the queue limit to both engines together`, async (t) => {
    const held = await startHoldingSite(t)
    const environment = {
      ...reachingLoopback,
      ...(await withBrowser()),
      TRAWL_ACCOUNT_RUNNING_MAX: '1',
      TRAWL_QUEUE_MAX: '4',
    }
    const service = await start(t, { environment })
    const account = await service.createAccount()
    const inBrowser = (path: string) => ({ url: held.url(path), configurations: rendered })
    const firstPage = await submitTask(account, inBrowser('/first-page'))
    const firstHeld = await held.untilHeld('/first-page')
    const secondPage = await submitTask(account, inBrowser('/second-page'))
    await submitTask(account, { url: held.url('/first') })
    await submitTask(account, { url: held.url('/second') })
    await held.untilHeld('/first')

    for (const body of [inBrowser('/third-page'), { url: held.url('/third') }]) {
      const answer = await account.callWithoutRetry(`POST ${callbackPath}`, {
        ...body,
        callbackUrl: closedPortUrl,
      })
      assertFailure(answer, 'QUEUE_FULL')
    }
    assert.equal((await getStatus(account, secondPage)).status, 'queued')
    assert.equal(held.heldAt('/second').length + held.heldAt('/second-page').length, 0)
    firstHeld.answer()
    await untilStatus(account, firstPage, 'completed')
    ;(await held.untilHeld('/second-page')).answer()
    await untilStatus(account, secondPage, 'completed')
  })
})

test('without Chromium a task that needs it is refused at once with advice on how to fix it', async (t) => {
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()

  const answer = await scrapeNow(account, {
    url: nowhere,
    configurations: { js_render: true, waitForSelector: '#a' },
  })

  const { message } = assertFailure(answer, 'BROWSER_UNAVAILABLE')
  assert.equal(
    message,
    'This task needs a browser (js_render, waitForSelector) but no Chromium was found. Plain HTTP scraping works. Fix: run "npx trawl browser install", or on Debian "sudo apt install chromium-headless-shell", or set TRAWL_BROWSER_PATH.',
  )
  assert.deepEqual((await account.call(`GET ${callbackPath}`)).json().items, [])
})

test('a repeated idempotency key replays an accepted browser task although the browser is gone', async (t) => {
  const { place } = await createTestStore(t, 'sqlite')
  const environment = { ...serviceEnvironment(place), ...reachingLoopback, TRAWL_LEASE: '1s' }
  const first = await startTestService(t, {
    environment: { ...environment, ...(await withBrowser()) },
  })
  const account = await first.createAccount()
  const ask = (url: string, key: string) =>
    callApi(url, `POST ${callbackPath}`, {
      headers: { 'x-api-key': account.apiKey, 'idempotency-key': key },
      body: { url: nowhere, callbackUrl: closedPortUrl, configurations: rendered },
    })
  const accepted = await ask(first.url, 'the key')
  await first[Symbol.asyncDispose]()
  assert.deepEqual(listBrowsers(), [])

  const second = await startTestService(t, { environment })
  const isRefused = async () => (await ask(second.url, randomUUID())).statusCode === 503
  await until(isRefused)
  const again = await ask(second.url, 'the key')

  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal(again.json().requestId, accepted.json().requestId)
})

test('a crashed page is retried, a failed screenshot is not', async (t) => {
  const held = await startHoldingSite(t)
  const environment = { ...reachingLoopback, ...(await withBrowser()) }
  const service = await startTestService(t, { environment })
  const account = await service.createAccount()
  const retries = { useRetries: true, maxRetries: 3 }
  const shot = { use: true, options: { type: 'jpeg' } }

  const crashing = scrapeNow(account, {
    url: held.url('/crashing'),
    configurations: { js_render: true, retries },
  })
  await held.untilHeld('/crashing')
  for (const pid of listRenderers()) killAtOnce(pid)
  ;(await held.untilHeld('/crashing', 2)).answer()
  const crashed = await crashing
  const failing = scrapeNow(account, {
    url: held.url('/too-tall'),
    configurations: { retries, screenshot: shot },
  })
  ;(await held.untilHeld('/too-tall')).answer(200, {}, '<div style="height: 70000px">')

  assert.deepEqual([crashed.statusCode, crashed.headers['x-attempts']], [200, '2'])
  const { correlation_id } = assertFailure(await failing, 'SCREENSHOT_FAILED')
  assert.equal((await getStatus(account, String(correlation_id))).attempts, 1)
})

test('a caller who disconnects ends the browser visit', async (t) => {
  const held = await startHoldingSite(t)
  const environment = { ...reachingLoopback, ...(await withBrowser()) }
  const service = await startTestService(t, { environment })
  const account = await service.createAccount()
  const caller = new AbortController()
  const answered = fetch(service.url + realtimePath, {
    method: 'POST',
    headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ url: held.url('/'), configurations: rendered }),
    signal: caller.signal,
  }).catch(() => undefined)
  const asked = await held.untilHeld('/')

  caller.abort()
  await answered

  await until(() => asked.isLeft() && listRenderers().length === 0)
})

test('only detailed status requests start the browser for a check, and the check is cached', async (t) => {
  const { TRAWL_BROWSER_PATH: path = '' } = await withBrowser()
  const named = await writeBrowser(t, `exec ${path} "$@"`)
  const service = await startTestService(t, { environment: { TRAWL_BROWSER_PATH: named } })
  await service.browser.whenSettled
  const get = async (asked: string) => (await callApi(service.url, `GET ${asked}`)).json()

  assert.equal((await get('/health')).status, 'ok')
  assert.equal((await get('/readyz')).status, 'ready')
  assert.deepEqual(listBrowsers(), [])
  const { browser } = (await get('/capabilities')).engines
  const { state, version, flavor, sandbox } = browser
  assert.deepEqual([state, version, flavor], ['ready', '150.0.1.2', 'shell'])
  await rewriteBrowser(named, 'exit 1')
  for (const pid of listBrowsers()) killAtOnce(pid)
  assert.deepEqual((await get('/readyz?verbose')).checks.browser, {
    ok: true,
    detail: `Chromium 150.0.1.2 opens pages, its sandbox is ${sandbox}.`,
    ...browser,
  })
})

test('a browser that opens no page makes the service degraded but still ready', async (t) => {
  const environment = { TRAWL_BROWSER_PATH: await writeBrowser(t, 'echo no page >&2; exit 1') }
  const service = await startTestService(t, { environment })
  await service.browser.whenSettled

  const verbose = await callApi(service.url, 'GET /readyz?verbose')
  const health = await callApi(service.url, 'GET /health')

  assert.equal(verbose.statusCode, 200)
  assert.equal(verbose.json().checks.browser.ok, false)
  assert.doesNotMatch(verbose.text, /no page"/)
  assert.deepEqual([health.statusCode, health.json().status], [200, 'degraded'])
})

test('after the browser failed to start, tasks get BROWSER_UNAVAILABLE and capabilities say broken', async (t) => {
  const named = await writeBrowser(t, 'exit 1')
  const environment = { ...reachingLoopback, TRAWL_BROWSER_PATH: named }
  const service = await startTestService(t, { environment })
  const account = await service.createAccount()
  const site = await startPageSite(t)
  site.page('/', '<p>here</p>')
  const scrape = { url: site.url('/'), configurations: rendered }
  await service.browser.whenSettled

  const first = await scrapeNow(account, scrape)
  const second = await scrapeNow(account, scrape)
  const { browser } = (await callApi(service.url, 'GET /capabilities')).json().engines

  assertFailure(first, 'BROWSER_CRASHED')
  const { message } = assertFailure(second, 'BROWSER_UNAVAILABLE')
  assert.match(String(message), /does not start.*npx trawl doctor/)
  assert.deepEqual([browser.state, browser.opens_pages], ['broken', false])
})
