/** Requests of a page's workers are recorded, waited for and collected like those of the page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBrowserScene } from '../support/browser-scene.ts'
import type { PageSite } from '../support/page-site.ts'

const scripted = { js_render: true, mode: 'SPA' }

const script = (site: PageSite, path: string, code: string) =>
  site.page(path, (_, response) =>
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(code),
  )

/** A page with a worker, a worker of that worker, and a shared one; each asks for something. */
function startWorkers(site: PageSite): void {
  site.page('/workers', `<script>new Worker('/one.js'); new SharedWorker('/shared.js')</script>`)
  script(
    site,
    '/one.js',
    `fetch('/one.json', { method: 'POST', body: 'x' }); new Worker('/two.js')`,
  )
  script(
    site,
    '/two.js',
    `const asked = new XMLHttpRequest(); asked.open('GET', '/two.json'); asked.send()`,
  )
  script(site, '/shared.js', `fetch('/shared.json')`)
  for (const path of ['/one.json', '/two.json', '/shared.json']) {
    site.page(path, (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(path)),
    )
  }
}

test('requests of the workers of a page', async (t) => {
  const { site, visit, html } = await startBrowserScene(t)
  startWorkers(site)

  await t.test('requests of workers are recorded and counted', async () => {
    const { page } = await visit('/workers', { ...scripted, debug: true })

    const told = page.requests.map(
      ({ url, type, statusCode }) => `${new URL(url).pathname} ${type} ${statusCode}`,
    )
    assert.deepEqual(told.sort(), [
      '/one.js script 200',
      '/one.json fetch 200',
      '/shared.js script 200',
      '/shared.json fetch 200',
      '/two.js script 200',
      '/two.json xhr 200',
      '/workers document 200',
    ])
    assert.equal(page.bandwidth.requests, 7)
  })

  await t.test('responses to workers are collected', async () => {
    const { page } = await visit('/workers', { ...scripted, collect_data_from_requests: true })

    const collected = (page.collectedData ?? []).map(
      ({ url, method, body, truncated }) =>
        `${method} ${new URL(url).pathname} ${body} ${truncated}`,
    )
    assert.deepEqual(collected.sort(), [
      'GET /shared.json "/shared.json" false',
      'GET /two.json "/two.json" false',
      'POST /one.json "/one.json" false',
    ])
  })

  await t.test('requests of workers are waited for', async () => {
    site.page(
      '/late',
      `<script>new Worker('/late.js').onmessage = ({ data }) => document.write(data)</script>`,
    )
    script(site, '/late.js', `fetch('/late.txt').then((got) => got.text()).then(postMessage)`)
    site.page('/late.txt', (_, response) => setTimeout(() => response.end('brought late'), 1_200))

    assert.match(await html('/late', scripted), /brought late/)
  })

  await t.test('requests of a worker that has ended are not waited for', async () => {
    site.page('/ended', `<script>new Worker('/ended.js')</script>`)
    script(site, '/ended.js', `fetch('/never'); fetch('/close').then(close)`)
    site.page('/never', () => undefined)
    site.page('/close', (_, response) => response.end())

    const { page } = await visit('/ended', { ...scripted, debug: true })

    assert.equal(page.isWaitCutShort, false)
    assert.equal(page.requests.find(({ url }) => url === site.url('/never'))?.statusCode, null)
  })

  await t.test('requests that skipDomains cannot block are recorded as loaded', async () => {
    const optimizations = { skipDomains: ['7.0.0.1'] }
    site.page(
      '/skipping',
      `<script>new SharedWorker(URL.createObjectURL(new Blob(["fetch('${site.url('/shared.json')}?skipped')"])))</script>`,
    )

    const { page } = await visit('/skipping', { ...scripted, optimizations, debug: true })

    const url = site.url('/shared.json?skipped')
    assert.equal(site.askedFor('/shared.json?skipped').length, 1)
    assert.equal(page.requests.find((request) => request.url === url)?.isBlocked, false)
    assert.equal(page.bandwidth.requests, 2)
  })
})
