/** A generated site of hundreds of pages and all its traps: the right set, once each, whatever the concurrency. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { judgeJob } from '../support/job-ledger.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'
import { storeKinds } from '../support/test-store.ts'
import { startTrapSite } from '../support/trap-site.ts'

const depth = 10
const limit = 10_000
const withinMs = 300_000

// The order at a concurrency of one is the test with a limit. `npm run faults crawls` has 1 000 pages on both.
const sizes = {
  sqlite: { concurrency: 64, goodPageCount: 400 },
  postgres: { concurrency: 8, goodPageCount: 200 },
}

for (const kind of storeKinds) {
  const { concurrency, goodPageCount } = sizes[kind]

  test(`${kind}: ${concurrency} at once, a crawl of ${goodPageCount} pages has exactly the right ones`, async (t) => {
    const site = await startTrapSite(t, { slowMs: 20, goodPageCount })
    const service = await startTestService(t, {
      kind,
      environment: { ...reachingLoopback, TRAWL_CRAWL_HOST_CONCURRENCY: String(concurrency) },
    })
    const account = await service.createAccount()

    const id = await startCrawl(account, { url: site.seedUrl, depth, limit })
    const body = await untilCrawled(account, id, withinMs)

    const requests = site.log.requests.filter(
      (one) => one.kind === 'page' || one.kind === 'redirect',
    )
    const expected = site.expectedPages({ depth })
    const records = { body, expected, deliveries: [], receivers: [], requests, retries: 2 }
    assert.deepEqual(judgeJob(records), [])
    assert.ok(expected.total > goodPageCount)
    const host = new URL(site.seedUrl).host
    assert.ok(site.log.underwayMax(host) <= concurrency + 1, 'robots.txt is beside the pages')
  })
}

test('with a limit the pages are the first in breadth-first order, whatever the concurrency', async (t) => {
  const site = await startTrapSite(t, { slowMs: 20, goodPageCount: 300 })
  const crawls = await Promise.all(
    [1, 3, 64].map(async (concurrency) => {
      const service = await startTestService(t, {
        environment: { ...reachingLoopback, TRAWL_CRAWL_HOST_CONCURRENCY: String(concurrency) },
      })
      const account = await service.createAccount()
      const id = await startCrawl(account, { url: site.seedUrl, depth, limit: 120 })
      return untilCrawled(account, id, withinMs)
    }),
  )

  const [first, ...others] = crawls.map(({ results }) =>
    results.map(({ url, parent_url, depth, status }) => [url, parent_url, depth, status]),
  )
  assert.equal(first?.length, 120)
  for (const other of others) assert.deepEqual(other, first)
})
