import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHoldingSite } from '../support/holding-site.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, start) => {
  test(`${kind}: targets that never end do not keep the pages of another account waiting`, async (t) => {
    const site = await startHoldingSite(t)
    const service = await start(t, {
      environment: { TRAWL_EGRESS_ALLOW: '127.0.0.0/8', TRAWL_HTTP_CONCURRENCY: '4' },
    })
    const [busy, other] = [await service.createAccount(), await service.createAccount()]
    const callbackUrl = site.url('/callback')
    for (let count = 1; count <= 6; count++) {
      await busy.call('POST /api/scraper/scrape/callback', { url: site.url('/held'), callbackUrl })
    }
    await site.untilHeld('/held', 4)

    const scraped = other.call('POST /api/scraper/scrape/realtime', { url: site.url('/page') })
    const page = await site.untilHeld('/page')
    page.answer()

    assert.equal((await scraped).statusCode, 200)
    assert.equal(site.heldAt('/held').length, 4)
  })
})
