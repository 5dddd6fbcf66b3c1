import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CrawlJob } from '../../src/wire/crawl/responses.ts'
import { callApi } from '../support/call-api.ts'
import { crawlPath, getCrawl, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { getJob } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { addLinkPages, linkPage } from '../support/link-pages.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, start) => {
  test(`${kind}: reading a crawl`, async (t) => {
    const site = await startPageSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()

    await t.test('a finished crawl shows every page with its place, links and data', async () => {
      addLinkPages(site, { '/': ['/a', '/missing'], '/a': ['/', 'https://elsewhere.test/'] })

      const id = await startCrawl(account, { url: site.url('/'), extract_links: true })
      const crawl = CrawlJob.strict().parse(await untilCrawled(account, id))

      assert.deepEqual(
        crawl.results.map(({ url, parent_url, depth, status, links }) => ({
          path: new URL(url).pathname,
          parent: parent_url,
          depth,
          status,
          links,
        })),
        [
          {
            path: '/',
            parent: null,
            depth: 1,
            status: 'completed',
            links: [site.url('/a'), site.url('/missing')],
          },
          {
            path: '/a',
            parent: site.url('/'),
            depth: 2,
            status: 'completed',
            links: [site.url('/'), 'https://elsewhere.test/'],
          },
          { path: '/missing', parent: site.url('/'), depth: 2, status: 'completed', links: [] },
        ],
      )
      assert.equal(crawl.results[2]?.metadata?.http_status, 404)
      assert.deepEqual(crawl.token_summary, { tokens_charged_total: 3, tokens_reserved: 0 })
      assert.equal(crawl.delivery, null)
      assert.deepEqual(
        [crawl.total_pages, crawl.completed_pages, crawl.failed_pages, crawl.pending_pages],
        [3, 3, 0, 0],
      )
      const first = await getJob(account, crawl.results[0]?.task_id ?? '')
      assert.deepEqual(first.data, crawl.results[0]?.data)
    })

    await t.test('while a crawl runs its counts add up and open pages are listed', async () => {
      const held = await startHoldingSite(t)
      const id = await startCrawl(account, { url: held.url('/'), respect_robots: false })
      const seed = await held.untilHeld('/')

      const before = CrawlJob.strict().parse(await getCrawl(account, id))
      seed.answer(200, {}, linkPage(['/1', '/2']))
      ;(await held.untilHeld('/1')).answer()
      const second = await held.untilHeld('/2')
      let during = CrawlJob.strict().parse(await getCrawl(account, id))
      while (during.completed_pages < 2) during = CrawlJob.parse(await getCrawl(account, id))
      second.answer()
      await untilCrawled(account, id)

      assert.deepEqual(
        [before.status, before.total_pages, before.pending_pages, before.results[0]?.status],
        ['processing', 1, 1, 'processing'],
      )
      assert.equal(before.completed_at, null)
      assert.deepEqual(
        [during.total_pages, during.completed_pages, during.pending_pages],
        [3, 2, 1],
      )
      assert.deepEqual(
        during.results.map(({ status }) => status),
        ['completed', 'completed', 'processing'],
      )
    })

    await t.test('the frontier has what is found and not chosen', async () => {
      const held = await startHoldingSite(t)
      const id = await startCrawl(account, { url: held.url('/'), depth: 3, respect_robots: false })
      ;(await held.untilHeld('/')).answer(200, {}, linkPage(['/1', '/2']))
      ;(await held.untilHeld('/1')).answer(200, {}, linkPage(['/3', '/4', '/5']))
      const second = await held.untilHeld('/2')
      let during = await getCrawl(account, id)
      while (during.completed_pages < 2) during = await getCrawl(account, id)
      await account.call(`DELETE ${crawlPath}/${id}`)
      second.answer()
      const ended = await untilCrawled(account, id)

      assert.deepEqual([during.total_pages, during.frontier_pages], [3, 3])
      assert.equal(ended.frontier_pages, 0)
    })

    await t.test('an outline has the pages in their places without contents', async () => {
      const id = await startCrawl(account, { url: site.url('/'), extract_links: true })
      const whole = await untilCrawled(account, id)

      const outline = CrawlJob.strict().parse(await getCrawl(account, id, '?contents=none'))

      assert.deepEqual(
        outline.results,
        whole.results.map((result) => ({ ...result, links: [], data: null, metadata: null })),
      )
      assert.equal(whole.results[0]?.links.length, 2)
    })

    await t.test('results come in pages, and as lines of JSON all at once', async () => {
      const paths = Array.from({ length: 14 }, (_, index) => `/many/${index}`)
      addLinkPages(site, {
        '/many': paths,
        ...Object.fromEntries(paths.map((path) => [path, [] as string[]])),
      })
      const id = await startCrawl(account, { url: site.url('/many') })
      const whole = await untilCrawled(account, id)

      const first = await getCrawl(account, id)
      const second = await getCrawl(account, id, '?page=2')
      const past = await getCrawl(account, id, '?page=9')
      const lines = await callApi(service.url, `GET ${crawlPath}/${id}?page=2`, {
        headers: { 'x-api-key': account.apiKey, accept: 'application/x-ndjson' },
      })

      assert.equal(first.results.length, 10)
      assert.equal(second.results.length, 5)
      assert.deepEqual(past.results, [])
      assert.deepEqual([...first.results, ...second.results], whole.results)
      assert.equal(lines.headers['content-type'], 'application/x-ndjson')
      assert.deepEqual(
        lines.text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
        whole.results,
      )
    })

    await t.test('a crawl of another account is unknown', async () => {
      const stranger = await service.createAccount()
      const id = await startCrawl(account, { url: site.url('/') })
      await untilCrawled(account, id)

      for (const path of [`${crawlPath}/${id}`, `${crawlPath}/jobs/${id}`, `/v1/batch/${id}`]) {
        assertFailure(await stranger.call(`GET ${path}`), 'NOT_FOUND')
      }
      assertFailure(await account.call(`GET /v1/batch/${id}`), 'NOT_FOUND')
      assert.deepEqual(faultsIn(await account.call(`GET ${crawlPath}/no-uuid`)), [
        'path.job_id uuid_parsing',
      ])
    })
  })
})
