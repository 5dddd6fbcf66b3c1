/** Whom the `delay_ms` of a crawl binds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getCrawl, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTimedSite } from '../support/timed-site.ts'
import { until } from '../support/until.ts'

const longPauseMs = 30_000

onBothStores((kind, start) => {
  test(`${kind}: the delay_ms of one account does not hold up a crawl of another at the same host`, async (t) => {
    const { site, times } = await startTimedSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const [slow, other] = [await service.createAccount(), await service.createAccount()]
    const body = { url: site.url('/'), respect_robots: false, limit: 5 }
    const paused = await Promise.all(
      [1, 2].map(() => startCrawl(slow, { ...body, delay_ms: longPauseMs })),
    )
    await until(() => times.length === 1)

    const crawled = await untilCrawled(other, await startCrawl(other, body))

    assert.equal(crawled.completed_pages, 5)
    assert.equal(times.length, 6, 'the crawls of the first account keep its pause together')
    for (const id of paused) assert.equal((await getCrawl(slow, id)).completed_at, null)
  })

  test(`${kind}: two crawls of one account with a delay take turns at a host`, async (t) => {
    const { site, pausesMs, times } = await startTimedSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const body = { url: site.url('/'), respect_robots: false, limit: 3, delay_ms: 100 }

    const ids = [await startCrawl(account, body), await startCrawl(account, body)]
    for (const id of ids) assert.equal((await untilCrawled(account, id)).completed_pages, 3)

    assert.equal(times.length, 6)
    assert.ok(Math.min(...pausesMs()) >= 90, `The pauses were ${pausesMs()}.`)
  })
})
