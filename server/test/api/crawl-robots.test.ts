/** What robots.txt says to a crawl. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { addLinkPages, pathsOf } from '../support/link-pages.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

const once = { configurations: { retries: { useRetries: false } } }

onBothStores((kind, start) => {
  test(`${kind}: robots.txt`, async (t) => {
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const crawl = async (body: object) => untilCrawled(account, await startCrawl(account, body))

    /** A site whose seed links to these paths, with its robots.txt. */
    async function siteWith(
      t: TestContext,
      robots: string,
      paths = ['/open', '/shut', '/shut/ajar'],
    ) {
      const site = await startPageSite(t)
      site.page('/robots.txt', robots)
      addLinkPages(site, {
        '/': paths,
        ...Object.fromEntries(paths.map((path) => [path, [] as string[]])),
      })
      return site
    }

    await t.test('the group trawl counts and not that of all others', async (t) => {
      const site = await siteWith(
        t,
        'User-agent: *\nDisallow: /\n\nUser-agent: Trawl/2\nDisallow: /shut\nAllow: /shut/ajar\n',
      )

      const crawled = await crawl({ url: site.url('/') })
      const ignoring = await crawl({ url: site.url('/'), respect_robots: false })

      assert.deepEqual(pathsOf(crawled), ['/', '/open', '/shut/ajar'])
      assert.deepEqual(crawled.results[0]?.links, ['/open', '/shut', '/shut/ajar'].map(site.url))
      assert.deepEqual(pathsOf(ignoring), ['/', '/open', '/shut', '/shut/ajar'])
      assert.equal(site.askedFor('/robots.txt').length, 1)
    })

    await t.test('forbidden links do not use up the limit', async (t) => {
      const shut = Array.from({ length: 12 }, (_, index) => `/shut/${index}`)
      const site = await siteWith(t, 'User-agent: *\nDisallow: /shut', [...shut, '/1', '/2', '/3'])

      const crawled = await crawl({ url: site.url('/'), limit: 3 })

      assert.deepEqual(pathsOf(crawled), ['/', '/1', '/2'])
    })

    await t.test('a forbidden seed fails the crawl without a request for it', async (t) => {
      const site = await siteWith(t, 'User-agent: *\nDisallow: /')

      const { status, results } = await crawl({ url: site.url('/') })

      assert.equal(status, 'failed')
      assert.deepEqual(
        results.map(({ status, error_code, error_reason }) => [status, error_code, error_reason]),
        [['failed', 'UNPROCESSABLE_CONTENT', 'ROBOTS_DISALLOWED']],
      )
      assert.deepEqual(site.asked, ['/robots.txt'])
    })

    await t.test('a compressed robots.txt is decoded', async (t) => {
      const site = await siteWith(t, '')
      site.page('/robots.txt', (_, response) =>
        response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync('User-agent: *\nDisallow: /shut')),
      )

      assert.deepEqual(pathsOf(await crawl({ url: site.url('/') })), ['/', '/open'])
    })

    const statuses: [status: number, pages: string[]][] = [
      [404, ['/', '/open', '/shut', '/shut/ajar']],
      [403, ['/', '/open', '/shut', '/shut/ajar']],
      [500, ['/']],
      [503, ['/']],
    ]
    for (const [status, pages] of statuses) {
      await t.test(
        `a robots.txt with status ${status} leads to ${pages.length} pages`,
        async (t) => {
          const site = await siteWith(t, '')
          site.page('/robots.txt', (_, response) =>
            response.writeHead(status).end('User-agent: *\nDisallow: /open'),
          )

          const crawled = await crawl({ url: site.url('/') })

          assert.deepEqual(pathsOf(crawled), pages)
          assert.equal(crawled.status, status < 500 ? 'completed' : 'failed')
        },
      )
    }

    await t.test('a robots.txt that fails is asked for again after a minute', async (t) => {
      const site = await siteWith(t, '', ['/open'])
      const failing = (status: number) =>
        site.page('/robots.txt', (_, response) => response.writeHead(status).end())
      failing(503)
      const statusOf = async () => (await crawl({ url: site.url('/') })).status
      const now = performance.now.bind(performance)
      const goOn = (ms: number) => t.mock.method(performance, 'now', () => now() + ms)

      assert.equal(await statusOf(), 'failed')
      failing(404)
      assert.equal(await statusOf(), 'failed')
      assert.equal(site.askedFor('/robots.txt').length, 1)
      goOn(60_000)
      assert.equal(await statusOf(), 'completed')
      failing(503)
      goOn(23 * 3_600_000)
      assert.equal(await statusOf(), 'completed')
      assert.equal(site.askedFor('/robots.txt').length, 2)
      goOn(25 * 3_600_000)
      assert.equal(await statusOf(), 'failed')
    })

    await t.test('of other sites ten sitemaps are fetched, of its own all', async (t) => {
      const other = await startPageSite(t)
      const sitemaps = (origin: string, count: number) =>
        Array.from({ length: count }, (_, index) => `Sitemap: ${origin}/sitemap-${index}.xml`)
      const site = await siteWith(t, '')
      const named = [...sitemaps(other.origin, 30), ...sitemaps(site.origin, 20)]
      site.page('/robots.txt', named.join('\n'))
      site.page(
        '/sitemap-19.xml',
        `<urlset><url><loc>${site.url('/only-in-sitemap')}</loc></url></urlset>`,
      )

      const crawled = await crawl({ url: site.url('/'), use_sitemaps: true })

      assert.ok(pathsOf(crawled).includes('/only-in-sitemap'))
      assert.equal(other.asked.length, 10)
      assert.equal(site.asked.filter((path) => path.startsWith('/sitemap')).length, 20 + 1)
    })

    await t.test(
      'where robots.txt cannot be reached the seed is tried and others are not',
      async (t) => {
        const site = await siteWith(t, '', ['/open'])
        site.page('/robots.txt', (request) => request.socket.destroy())
        const other = await siteWith(t, '', [])
        other.page('/robots.txt', (request) => request.socket.destroy())
        addLinkPages(site, { '/': ['/open', other.url('/')] })

        const crawled = await crawl({ url: site.url('/'), same_domain_only: false })
        const dead = await crawl({ url: 'http://127.0.0.1:1025/', ...once })

        assert.deepEqual(pathsOf(crawled), ['/', '/open'])
        assert.deepEqual(
          [dead.status, dead.results[0]?.error_reason],
          ['failed', 'TARGET_UNREACHABLE'],
        )
        // Once more each, as it may have been the way there.
        assert.deepEqual(other.asked, ['/robots.txt', '/robots.txt'])
        assert.equal(site.askedFor('/robots.txt').length, 2)
      },
    )
  })
})
