import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { crawlPath, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

onBothStores((kind, start) => {
  test(`${kind}: crawls that wait for a slow robots.txt or sitemap`, async (t) => {
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()

    await t.test('a cancelled crawl ends before its robots.txt has come', async (t) => {
      const site = await startHoldingSite(t)
      const receiver = await startTestReceiver(t)
      const id = await startCrawl(account, { url: site.url('/'), callback_url: receiver.url })
      const robots = await site.untilHeld('/robots.txt')

      const answer = await account.call(`DELETE ${crawlPath}/${id}`)
      const crawl = await untilCrawled(account, id)
      const [event] = await receiver.arrivals(1)

      assert.equal(answer.json().in_flight_pages, 0)
      assert.deepEqual([crawl.status, crawl.cancelled_pages], ['cancelled', 1])
      assert.equal(event?.json.data.status, 'cancelled')
      assert.equal(robots.isLeft(), false)
      assert.equal(site.heldAt('/robots.txt').length, 1)
    })

    await t.test('a cancelled crawl leaves the sitemap that it waits for', async (t) => {
      const site = await startHoldingSite(t)
      const options = { respect_robots: false, use_sitemaps: true }
      const id = await startCrawl(account, { url: site.url('/'), ...options })
      ;(await site.untilHeld('/')).answer()
      ;(await site.untilHeld('/robots.txt')).answer(404)
      const sitemap = await site.untilHeld('/sitemap.xml')

      await account.call(`DELETE ${crawlPath}/${id}`)
      const crawl = await untilCrawled(account, id)

      assert.deepEqual([crawl.status, crawl.completed_pages], ['cancelled', 1])
      await until(() => sitemap.isLeft())
    })

    await t.test('many crawls that wait do not hold up the end of a batch', async (t) => {
      const site = await startHoldingSite(t)
      const quick = await startPageSite(t)
      quick.page('/', '<p>quick</p>')
      for (let count = 0; count < 20; count += 1) await startCrawl(account, { url: site.url('/') })
      const robots = await site.untilHeld('/robots.txt')

      const { job_id } = await submitBatch(account, { urls: [quick.url('/')] })
      const batch = await untilBatchEnded(account, job_id)

      assert.equal(batch.status, 'completed')
      assert.equal(robots.isLeft(), false)
      assert.equal(site.heldAt('/robots.txt').length, 1)
    })
  })
})
