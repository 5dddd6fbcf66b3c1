import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { judgeJob } from '../support/job-ledger.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTrapSite } from '../support/trap-site.ts'

const cases = [
  { name: 'a site full of traps', asked: {}, rules: {} },
  {
    name: 'a site and of its sitemaps',
    asked: { use_sitemaps: true, depth: 2 },
    rules: { useSitemaps: true, depth: 2 },
  },
  {
    name: 'a site whose robots.txt is not respected',
    asked: { respect_robots: false },
    rules: { respectRobots: false },
  },
]

onBothStores((kind, start) => {
  for (const { name, asked, rules } of cases) {
    test(`${kind}: a crawl fetches exactly the right pages of ${name}, once each`, async (t) => {
      const site = await startTrapSite(t, { goodPageCount: 60, slowMs: 20 })
      const service = await start(t, { environment: reachingLoopback })
      const account = await service.createAccount()
      const order = { url: site.seedUrl, depth: 6, limit: 10_000, ...asked }

      const body = await untilCrawled(account, await startCrawl(account, order))

      const requests = site.log.requests.filter(
        ({ kind: what }) => what === 'page' || what === 'redirect',
      )
      const expected = site.expectedPages({ depth: 6, ...rules })
      const records = { body, expected, deliveries: [], receivers: [], requests, retries: 2 }
      assert.deepEqual(judgeJob(records), [])
    })
  }
})
