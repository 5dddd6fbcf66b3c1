/** Which links a crawl follows: hosts, subdomains, globs, redirects, nofollow. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { addLinkPages, linkPage, pathsOf } from '../support/link-pages.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestDns } from '../support/test-dns.ts'
import { onBothStores } from '../support/test-service.ts'

const addresses = ['127.0.0.1']
const names = ['fish.test', 'www.fish.test', 'shop.fish.test', 'bird.test', 'notfish.test']

onBothStores((kind, start) => {
  test(`${kind}: the scope of a crawl`, async (t) => {
    const site = await startPageSite(t)
    const elsewhere = await startPageSite(t)
    const dns = await startTestDns(
      t,
      Object.fromEntries(names.map((name) => [name, { addresses }])),
    )
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_DNS_SERVERS: dns.address },
    })
    const account = await service.createAccount()
    const crawl = async (body: object) => untilCrawled(account, await startCrawl(account, body))
    const at = (name: string, path = '/') => `http://${name}:${site.port}${path}`
    const urlsOf = async (body: object) => (await crawl(body)).results.map(({ url }) => url)
    addLinkPages(site, {
      '/hosts': [...names.map((name) => at(name, '/leaf')), elsewhere.url('/leaf')],
      '/leaf': [],
    })
    addLinkPages(elsewhere, { '/leaf': [] })

    await t.test('a crawl stays on its host; www. is the same site', async () => {
      const seed = at('fish.test', '/hosts')
      const www = at('www.fish.test', '/hosts')

      assert.deepEqual(await urlsOf({ url: seed }), [
        seed,
        at('fish.test', '/leaf'),
        at('www.fish.test', '/leaf'),
      ])
      assert.deepEqual(await urlsOf({ url: www }), [
        www,
        at('fish.test', '/leaf'),
        at('www.fish.test', '/leaf'),
      ])
    })

    await t.test('with include_subdomains names below the host belong to it', async () => {
      const seed = at('fish.test', '/hosts')

      assert.deepEqual(await urlsOf({ url: seed, include_subdomains: true }), [
        seed,
        at('fish.test', '/leaf'),
        at('www.fish.test', '/leaf'),
        at('shop.fish.test', '/leaf'),
      ])
    })

    await t.test('without same_domain_only every host is followed', async () => {
      const seed = at('fish.test', '/hosts')

      assert.deepEqual(await urlsOf({ url: seed, same_domain_only: false }), [
        seed,
        ...names.map((name) => at(name, '/leaf')),
        elsewhere.url('/leaf'),
      ])
    })

    await t.test('http and https are one site and two pages', async () => {
      addLinkPages(site, { '/schemes': ['/leaf', `https://127.0.0.1:${site.port}/leaf`] })

      const { results } = await crawl({
        url: site.url('/schemes'),
        configurations: { retries: { useRetries: false } },
      })

      assert.deepEqual(
        results.map(({ url, status }) => [url, status]),
        [
          [site.url('/schemes'), 'completed'],
          [site.url('/leaf'), 'completed'],
          [`https://127.0.0.1:${site.port}/leaf`, 'failed'],
        ],
      )
    })

    await t.test('globs choose paths; the seed page is exempt', async () => {
      const paths = ['/docs/a', '/docs/a/old', '/blog/b', '/docs', '/Docs/c', '/docs/a?x=/blog/']
      addLinkPages(site, {
        '/start': paths,
        ...Object.fromEntries(paths.map((path) => [path.replace(/\?.*/, ''), [] as string[]])),
      })
      const chosen = async (globs: object) =>
        pathsOf(await crawl({ url: site.url('/start'), ...globs }))

      assert.deepEqual(await chosen({ include_paths: ['/docs/*'] }), [
        '/start',
        '/docs/a',
        '/docs/a/old',
        '/docs/a?x=/blog/',
      ])
      assert.deepEqual(await chosen({ include_paths: ['docs*'], exclude_paths: ['*/old'] }), [
        '/start',
        '/docs/a',
        '/docs',
        '/docs/a?x=/blog/',
      ])
      assert.deepEqual(await chosen({ exclude_paths: ['*'] }), ['/start'])
    })

    await t.test('a redirect out of the crawl fails the page', async () => {
      const out = elsewhere.url('/landing')
      site.page('/out', (_, response) => response.writeHead(302, { location: out }).end())
      addLinkPages(site, { '/leaving': ['/out', '/leaf'] })

      const { status, results } = await crawl({ url: site.url('/leaving') })
      const seed = await crawl({ url: site.url('/out') })

      assert.equal(status, 'completed')
      assert.deepEqual(
        results.map(({ status, error_code, error_reason }) => [status, error_code, error_reason]),
        [
          ['completed', null, null],
          ['failed', 'UNPROCESSABLE_CONTENT', 'OUT_OF_SCOPE'],
          ['completed', null, null],
        ],
      )
      assert.deepEqual([seed.status, seed.results[0]?.error_reason], ['failed', 'OUT_OF_SCOPE'])
    })

    await t.test('a redirect to a page already seen is completed and not followed', async () => {
      site.page('/again', (_, response) => response.writeHead(302, { location: '/known' }).end())
      site.page('/new', (_, response) => response.writeHead(302, { location: '/unseen' }).end())
      addLinkPages(site, {
        '/redirecting': ['/again', '/new', '/known'],
        '/known': ['/behind-known'],
        '/unseen': ['/behind-unseen', '/unseen'],
        '/behind-known': ['/unseen'],
        '/behind-unseen': [],
      })

      const { results, ...rest } = await crawl({ url: site.url('/redirecting'), depth: 4 })

      assert.deepEqual(pathsOf({ ...rest, results }), [
        '/redirecting',
        '/again',
        '/new',
        '/known',
        '/behind-unseen',
        '/behind-known',
      ])
      assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['completed']))
      const parentOf = (path: string) =>
        results.find(({ url }) => url === site.url(path))?.parent_url
      assert.equal(parentOf('/behind-known'), site.url('/known'))
      assert.equal(parentOf('/behind-unseen'), site.url('/new'))
      assert.equal(site.askedFor('/unseen').length, 1)
    })

    await t.test(
      'links marked nofollow are not followed, in whatever way they are marked',
      async () => {
        site.page('/marked', (_, response) =>
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end(
              `<a rel="ugc nofollow" href="/by-rel">x</a>${linkPage(['/by-meta', '/by-header'])}`,
            ),
        )
        site.page('/by-meta', linkPage(['/hidden'], '<meta name="robots" content="nofollow">'))
        site.page('/by-header', (_, response) =>
          response
            .writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': 'nofollow' })
            .end(linkPage(['/hidden'])),
        )

        const crawled = await crawl({ url: site.url('/marked'), depth: 3 })

        assert.deepEqual(pathsOf(crawled), ['/marked', '/by-meta', '/by-header'])
        assert.deepEqual(crawled.results[1]?.links, [site.url('/hidden')])
      },
    )
  })
})
