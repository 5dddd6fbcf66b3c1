/** `render_js: "auto"`: HTTP first, and a browser where the response shows that the page needs one. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  extract,
  extracted,
  failureIn,
  submitExtraction,
  untilEnded,
} from '../support/extract-calls.ts'
import { type PageSite, startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'

const article = `<h1>Tides</h1>${'<p>The boats leave before dawn and return at noon.</p>'.repeat(5)}`
const renders = '<script>document.body.innerHTML = "<p>rendered</p>"</script>'
const appRoot = `<body><div id="root"></div>${renders}`
const demand = `<body><p>A harbour.</p><noscript>Please enable JavaScript.</noscript>${renders}`

/** A challenge by its documented header, until a script has set a cookie and loaded the page again. */
function addChallenge(site: PageSite, path: string): void {
  site.page(path, ({ headers }, response) => {
    if (headers.cookie?.includes('passed=1')) {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<body>${article}`)
    } else {
      response
        .writeHead(403, { 'content-type': 'text/html', 'cf-mitigated': 'challenge' })
        .end('<p>One moment</p><script>document.cookie="passed=1";location.reload()</script>')
    }
  })
}

const auto = (account: TestAccount, url: string, more: object = {}) =>
  extracted(account, { url, render_js: 'auto', formats: ['text'], ...more })

type Answer = Awaited<ReturnType<typeof auto>>

/** The boolean that came out, the engine and its reason. */
const choice = ({ metadata }: Pick<Answer, 'metadata'>) => [
  metadata.render_js,
  metadata.engine,
  metadata.engine_reason,
]

onBothStores((kind, start) => {
  const startWith = async (t: TestContext, environment: Record<string, string>) => {
    const service = await start(t, { environment: { ...reachingLoopback, ...environment } })
    return { service, account: await service.createAccount() }
  }

  test(`${kind}: an extraction whose response decides the engine`, async (t) => {
    const { service, account } = await startWith(t, await withBrowser())

    await t.test('a static page is fetched once, over HTTP', async (t) => {
      const site = await startPageSite(t)
      site.page('/', `<body>${article}<script src="/analytics.js"></script>`)

      const answer = await auto(account, site.url('/'))

      assert.match(answer.data.text ?? '', /boats leave/)
      assert.deepEqual(choice(answer), [false, 'http', 'static'])
      assert.deepEqual(site.asked, ['/'])
    })

    for (const [reason, html] of [
      ['empty_app_root', appRoot],
      ['noscript_demand', demand],
    ] as const) {
      await t.test(
        `a page with ${reason} is rendered, in one attempt, for one token`,
        async (t) => {
          const site = await startPageSite(t)
          site.page('/', html)

          const answer = await auto(account, site.url('/'))

          assert.equal(answer.data.text, 'rendered')
          assert.deepEqual(choice(answer), [true, 'browser', reason])
          assert.deepEqual([answer.metadata.retry_count, answer.tokens_charged], [0, 1])
          assert.equal(site.askedFor('/').length, 2)
        },
      )
    }

    await t.test('a challenge is passed by the browser', async (t) => {
      const site = await startPageSite(t)
      addChallenge(site, '/')

      const answer = await auto(account, site.url('/'))

      assert.match(answer.data.text ?? '', /boats leave/)
      assert.deepEqual(choice(answer), [true, 'browser', 'script_challenge'])
      assert.deepEqual([answer.metadata.http_status, answer.metadata.retry_count], [200, 0])
    })

    await t.test('an asynchronous extraction is rendered too', async (t) => {
      const site = await startPageSite(t)
      site.page('/', appRoot)

      const id = await submitExtraction(account, { url: site.url('/'), render_js: 'auto' })
      const job = await untilEnded(account, id)

      assert.match(String(job.data?.html), /<p>rendered<\/p>/)
      const { engine, engine_reason, retry_count } = job.metadata ?? {}
      assert.deepEqual([engine, engine_reason, retry_count], ['browser', 'empty_app_root', 0])
    })

    await t.test('the browser is used at once for an hour, per account and host', async (t) => {
      const site = await startPageSite(t)
      const other = await startPageSite(t)
      for (const one of [site, other]) {
        one.page('/', appRoot)
        one.page('/static', `<body>${article}`)
      }
      const stranger = await service.createAccount()
      await auto(account, site.url('/'))

      const second = await auto(account, site.url('/static'))
      assert.deepEqual(choice(second), [true, 'browser', 'scripted_host'])
      assert.match(second.data.text ?? '', /boats leave/)
      assert.equal(site.askedFor('/static').length, 1)
      const elsewhere = await auto(account, other.url('/static'))
      assert.deepEqual(choice(elsewhere), [false, 'http', 'static'])
      const ofStranger = await auto(stranger, site.url('/static'))
      assert.deepEqual(choice(ofStranger), [false, 'http', 'static'])

      const now = performance.now.bind(performance)
      t.mock.method(performance, 'now', () => now() + 3_600_000)
      const later = await auto(account, site.url('/static'))
      assert.deepEqual(choice(later), [false, 'http', 'static'])
    })

    await t.test('a target that asks for a pause is not asked again at once', async (t) => {
      const site = await startPageSite(t)
      site.page('/', (_, response) =>
        response.writeHead(429, { 'content-type': 'text/html' }).end(appRoot),
      )

      const response = await extract(account, {
        url: site.url('/'),
        render_js: 'auto',
        configurations: { retries: { useRetries: false } },
      })

      assert.equal(failureIn(response).error.code, 'TEMPORARY_BLOCK')
      assert.equal(site.asked.length, 1)
    })

    await t.test('the booleans keep their meaning', async (t) => {
      const site = await startPageSite(t)
      site.page('/', appRoot)
      site.page('/static', `<body>${article}`)

      const plain = await auto(account, site.url('/'), { render_js: false })
      const rendered = await auto(account, site.url('/static'), { render_js: true })

      assert.equal(plain.data.text, '')
      assert.deepEqual(choice(plain), [false, 'http', 'requested'])
      assert.deepEqual(choice(rendered), [true, 'browser', 'requested'])
      assert.deepEqual([site.askedFor('/').length, site.askedFor('/static').length], [1, 1])
    })

    await t.test('an option that needs a browser uses it at once', async (t) => {
      const site = await startPageSite(t)
      site.page('/', appRoot)

      const answer = await auto(account, site.url('/'), { formats: ['text', 'screenshot'] })

      assert.equal(answer.data.text, 'rendered')
      assert.deepEqual(choice(answer), [true, 'browser', 'options_need_browser'])
      assert.equal(site.askedFor('/').length, 1)
    })

    await t.test('another method than GET is sent once, over HTTP', async (t) => {
      const site = await startPageSite(t)
      site.page('/', appRoot)

      const answer = await auto(account, site.url('/'), { method: 'POST', body: 'a=1' })

      assert.deepEqual(choice(answer), [false, 'http', 'method_needs_http'])
      assert.deepEqual(
        site.askedFor('/').map(({ method }) => method),
        ['POST'],
      )
    })

    await t.test('`wait_config` applies in the browser only, and is echoed anyway', async (t) => {
      const site = await startPageSite(t)
      site.page('/static', `<body>${article}`)
      site.page(
        '/late',
        `<body><div id="root"></div><script>setTimeout(() => { document.body.innerHTML = '<b id="late">late</b>' }, 300)</script>`,
      )
      const wait_config = { wait_for: '#late' }

      const fast = await auto(account, site.url('/static'), { wait_config })
      const late = await auto(account, site.url('/late'), { wait_config })

      assert.deepEqual([fast.metadata.engine, late.metadata.engine], ['http', 'browser'])
      assert.equal(late.data.text, 'late')
      assert.equal(fast.metadata.wait_config?.wait_for, '#late')
    })
  })

  test(`${kind}: without a browser the HTTP response stands`, async (t) => {
    const { account } = await startWith(t, {})
    const site = await startPageSite(t)
    site.page('/', appRoot)
    site.page('/static', `<body>${article}`)

    for (let times = 1; times <= 2; times += 1) {
      const answer = await auto(account, site.url('/'), { formats: ['html'] })

      assert.match(answer.data.html ?? '', /id="root"/)
      assert.deepEqual(choice(answer), [false, 'http', 'browser_unavailable'])
      assert.equal(site.askedFor('/').length, times)
    }
    assert.deepEqual(choice(await auto(account, site.url('/static'))), [false, 'http', 'static'])
  })
})
