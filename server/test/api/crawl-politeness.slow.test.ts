/** What the origins of crawls see: how many pages at once, and the pauses between them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { addLinkPages } from '../support/link-pages.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTimedSite } from '../support/timed-site.ts'
import { startTrapSite } from '../support/trap-site.ts'

const hostConcurrency = 3
const environment = {
  ...reachingLoopback,
  TRAWL_CRAWL_HOST_CONCURRENCY: String(hostConcurrency),
}

onBothStores((kind, start) => {
  test(`${kind}: the politeness of crawls`, async (t) => {
    const service = await start(t, { environment })
    const account = await service.createAccount()

    await t.test('delay_ms is kept between two pages, and retries keep it too', async (t) => {
      const { site, times, pausesMs, failNext } = await startTimedSite(t)
      failNext(1)

      const id = await startCrawl(account, { url: site.url('/'), delay_ms: 900, limit: 4 })
      const crawled = await untilCrawled(account, id)

      assert.equal(crawled.completed_pages, 4)
      assert.equal(times.length, 5)
      assert.ok(Math.min(...pausesMs()) >= 890, `The pauses were ${pausesMs()}.`)
    })

    await t.test('the crawl-delay of robots.txt holds for two crawls together', async (t) => {
      const { site, times, pausesMs } = await startTimedSite(t, 'User-agent: *\nCrawl-delay: 0.4')
      const body = { url: site.url('/'), limit: 3 }

      const ids = [await startCrawl(account, body), await startCrawl(account, body)]
      for (const id of ids) await untilCrawled(account, id)

      assert.equal(times.length, 6)
      assert.ok(Math.min(...pausesMs()) >= 390, `The pauses were ${pausesMs()}.`)
    })

    await t.test('two crawls fetch no more pages of a host at once than one may', async (t) => {
      const site = await startTrapSite(t, { goodPageCount: 40, latencyMs: 30, slowMs: 30 })
      const host = new URL(site.seedUrl).host
      const body = { url: site.seedUrl, depth: 3, limit: 60, respect_robots: false }

      const ids = [await startCrawl(account, body), await startCrawl(account, body)]
      for (const id of ids) await untilCrawled(account, id)

      assert.equal(site.log.underwayMax(host), hostConcurrency)
    })

    await t.test(
      'a host that one crawl keeps busy does not hold up a crawl of another',
      async (t) => {
        const slow = await startTimedSite(t, 'User-agent: *\nCrawl-delay: 30')
        const quick = await startPageSite(t)
        addLinkPages(quick, { '/': ['/1'], '/1': [] })
        await startCrawl(account, { url: slow.site.url('/'), limit: 5 })

        const id = await startCrawl(account, { url: quick.url('/') })

        assert.equal((await untilCrawled(account, id)).completed_pages, 2)
      },
    )
  })
})
