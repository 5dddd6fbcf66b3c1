import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crawlPath, getCrawl, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, start) => {
  test(`${kind}: the second spelling of the path answers with the same crawl`, async (t) => {
    const site = await startPageSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const id = await startCrawl(account, { url: site.url('/') })
    await untilCrawled(account, id)

    const again = await account.call(`GET ${crawlPath}/jobs/${id}`)

    assert.equal(again.statusCode, 200)
    assert.deepEqual(again.json(), await getCrawl(account, id))
  })
})
