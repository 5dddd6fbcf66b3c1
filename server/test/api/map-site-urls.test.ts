import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { failureIn } from '../support/extract-calls.ts'
import { getMap, mapped } from '../support/map-calls.ts'
import { closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTrapSite } from '../support/trap-site.ts'

onBothStores((kind, start) => {
  test(`${kind}: a map`, async (t) => {
    const site = await startTrapSite(t, { goodPageCount: 60, slowMs: 20 })
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()

    await t.test('a map lists the URLs of sitemaps and of the page, each once', async () => {
      const { links, metadata, warning } = await mapped(account, { url: site.seedUrl })

      const urls = links.map(({ url }) => url)
      assert.equal(warning, null)
      assert.deepEqual([metadata.url, metadata.links_count], [site.seedUrl, links.length])
      assert.equal(new Set(urls).size, urls.length)
      assert.deepEqual(new Set(links.map(({ source }) => source)), new Set(['sitemap', 'html']))
      assert.ok(urls.every((url) => url.startsWith(site.seedUrl)))
    })

    await t.test('a search keeps the URLs that contain it, in any case', async () => {
      const all = await mapped(account, { url: site.seedUrl })
      const [first] = all.links
      const search = (first?.url ?? '').slice(site.seedUrl.length).toUpperCase()

      const { links } = await mapped(account, { url: site.seedUrl, search })

      assert.ok(links.some(({ url }) => url === first?.url))
      assert.ok(links.length < all.links.length)
    })

    await t.test('a map is one token and no single task', async () => {
      const before = (await account.call('GET /v1/extract/jobs')).json().jobs.length
      const { id } = await mapped(account, { url: site.seedUrl })

      assert.equal((await getMap(account, id)).tokens_charged, 1)
      assert.equal((await account.call('GET /v1/extract/jobs')).json().jobs.length, before)
    })

    await t.test('a host that cannot be reached is a failed map', async () => {
      const response = await account.call('POST /v1/map', { url: closedPortUrl })
      const { error } = failureIn(response)

      const job = await getMap(account, response.headers['x-job-id'] ?? '')
      assert.equal(error.code, 'NETWORK_ERROR')
      assert.deepEqual([job.status, job.error_code, job.links], ['failed', 'NETWORK_ERROR', []])
      assert.equal(job.tokens_charged, 0)
    })

    await t.test('a bad request gets the validation object with all faults', async () => {
      const bad = { url: 'ftp://example.com', include_subdomains: 'maybe' }

      assert.deepEqual(faultsIn(await account.call('POST /v1/map', bad)), [
        'body.url url_parsing',
        'body.include_subdomains bool_type',
      ])
      assert.deepEqual(faultsIn(await account.call('POST /v1/map', {})), ['body.url missing'])
    })

    await t.test('a private address is refused as an extraction of it is', async () => {
      const denied = await account.call('POST /v1/map', { url: 'http://169.254.169.254/' })

      assert.equal(failureIn(denied).error.code, 'INVALID_URL')
    })

    await t.test('another account does not see the map', async () => {
      const { id } = await mapped(account, { url: site.seedUrl })
      const other = await service.createAccount()

      assertFailure(await other.call(`GET /v1/map/${id}`), 'NOT_FOUND')
      assert.deepEqual((await other.call('GET /v1/map/jobs')).json().jobs, [])
    })
  })
})
