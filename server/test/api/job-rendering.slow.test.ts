/** Batches and crawls whose pages are rendered by a real browser, or only where they need it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { linkPage, pathsOf } from '../support/link-pages.ts'
import { type PageSite, startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

const article = '<p>The boats leave before dawn and return at noon.</p>'.repeat(5)

/** A page that is empty until its script has run. */
const scripted = (hrefs: readonly string[], head = ''): string => {
  const links = JSON.stringify(`${article}${hrefs.map((href) => `<a href="${href}">on</a>`)}`)
  const script = `document.getElementById("root").innerHTML = ${links}`
  return `<!doctype html><head>${head}</head><body><div id="root"></div><script>${script}</script>`
}

const fixed = (hrefs: readonly string[]): string => `${linkPage(hrefs)}${article}`

const enginesOf = ({ results }: { results: { metadata: object | null }[] }) =>
  results.map(({ metadata }) => {
    const { engine, engine_reason } = metadata as { engine?: string; engine_reason?: string }
    return [engine, engine_reason]
  })

function addScriptedSite(site: PageSite): void {
  site.page('/', fixed(['/fixed']))
  site.page('/fixed', fixed(['/scripted']))
  site.page('/scripted', scripted(['/behind', 'moved']))
  site.page('/behind', scripted(['relative'], '<base href="/based/">'))
  site.page('/moved', fixed([]))
  site.page('/based/relative', fixed([]))
}

onBothStores((kind, start) => {
  test(`${kind}: jobs in a browser`, async (t) => {
    const service = await start(t, {
      environment: { ...reachingLoopback, ...(await withBrowser()) },
    })

    await t.test('with render_js a crawl follows the links that scripts write', async (t) => {
      const account = await service.createAccount()
      const site = await startPageSite(t)
      addScriptedSite(site)

      const body = { url: site.url('/scripted'), depth: 3, render_js: true }
      const crawled = await untilCrawled(account, await startCrawl(account, body))
      const plain = await untilCrawled(
        account,
        await startCrawl(account, { ...body, render_js: false }),
      )

      const paths = ['/scripted', '/behind', '/moved', '/based/relative']
      assert.deepEqual(pathsOf(crawled), paths)
      assert.deepEqual(crawled.results[0]?.links, ['/behind', '/moved'].map(site.url))
      assert.deepEqual(
        enginesOf(crawled),
        paths.map(() => ['browser', 'requested']),
      )
      for (const { data } of crawled.results) assert.match(data?.['markdown'] ?? '', /boats leave/)
      assert.deepEqual(pathsOf(plain), ['/scripted'])
    })

    await t.test('with auto a crawl renders from the first page that needs it', async (t) => {
      const account = await service.createAccount()
      const site = await startPageSite(t)
      addScriptedSite(site)

      const body = { url: site.url('/'), depth: 5, render_js: 'auto' }
      const crawled = await untilCrawled(account, await startCrawl(account, body))

      assert.deepEqual(pathsOf(crawled), [
        '/',
        '/fixed',
        '/scripted',
        '/behind',
        '/moved',
        '/based/relative',
      ])
      assert.deepEqual(enginesOf(crawled), [
        ['http', 'static'],
        ['http', 'static'],
        ['browser', 'empty_app_root'],
        ['browser', 'scripted_host'],
        ['browser', 'scripted_host'],
        ['browser', 'scripted_host'],
      ])
      // Over HTTP and then in the browser; the others once.
      assert.equal(site.askedFor('/scripted').length, 2)
      for (const path of ['/', '/fixed', '/behind', '/moved', '/based/relative']) {
        assert.equal(site.askedFor(path).length, 1, path)
      }
      assert.deepEqual(crawled.token_summary, { tokens_charged_total: 6, tokens_reserved: 0 })
    })

    await t.test('with auto a batch renders only the pages that need it', async (t) => {
      const account = await service.createAccount()
      const sites = await Promise.all([startPageSite(t), startPageSite(t), startPageSite(t)])
      for (const site of sites) addScriptedSite(site)
      const [one, two, three] = sites.map((site) => site.url)
      const urls = [one?.('/fixed'), two?.('/scripted'), three?.('/fixed'), one?.('/')]

      const { job_id } = await submitBatch(account, { urls, render_js: 'auto' })
      const job = await untilBatchEnded(account, job_id)

      assert.deepEqual([job.status, job.completed_urls], ['completed', 4])
      assert.deepEqual(enginesOf(job), [
        ['http', 'static'],
        ['browser', 'empty_app_root'],
        ['http', 'static'],
        ['http', 'static'],
      ])
      assert.match(job.results[1]?.data?.markdown ?? '', /boats leave/)
      assert.deepEqual(job.token_summary, { tokens_charged_total: 4, tokens_reserved: 0 })
    })

    await t.test('with render_js every page of a batch is rendered', async (t) => {
      const account = await service.createAccount()
      const site = await startPageSite(t)
      addScriptedSite(site)
      const urls = ['/fixed', '/scripted', '/fixed'].map(site.url)

      const { job_id } = await submitBatch(account, { urls, render_js: true })
      const job = await untilBatchEnded(account, job_id)

      assert.deepEqual(
        enginesOf(job),
        urls.map(() => ['browser', 'requested']),
      )
      for (const { data } of job.results) assert.match(data?.markdown ?? '', /boats leave/)
    })
  })
})
