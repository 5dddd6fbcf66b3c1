import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const mebibyte = 2 ** 20

onBothStores((kind, start) => {
  test(`${kind}: large responses of one account that dribble do not keep those of another from coming`, async (t) => {
    const site = await startPageSite(t)
    let dribbling = 0
    site.page('/dribbling', (_, response) => {
      response.writeHead(200, {
        'content-type': 'text/plain',
        'content-length': 20 * mebibyte,
      })
      response.write(Buffer.alloc(6 * mebibyte, 'a'), () => {
        dribbling += 1
      })
    })
    site.page('/large', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.end(Buffer.alloc(2 * mebibyte, 'b'))
    })
    const service = await start(t, { environment: reachingLoopback })
    const [greedy, other] = [await service.createAccount(), await service.createAccount()]
    const callbackUrl = site.url('/callback')
    for (let count = 1; count <= 12; count++) {
      const body = { url: site.url('/dribbling'), callbackUrl }
      await greedy.call('POST /api/scraper/scrape/callback', body)
    }
    // Only what has its memory is read to the end of what came.
    await until(() => dribbling >= 2)

    const scraped = await other.call('POST /api/scraper/scrape/realtime', {
      url: site.url('/large'),
      configurations: { retries: { useRetries: false } },
    })

    assert.equal(scraped.statusCode, 200, scraped.text.slice(0, 200))
    assert.equal(scraped.text.length, 2 * mebibyte)
  })
})
