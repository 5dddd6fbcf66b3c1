/** What a caller gives for the site of the seed page goes to no other, and no address of the operator either. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { crawlPath, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { once } from '../support/extract-calls.ts'
import { addLinkPages, pathsOf } from '../support/link-pages.ts'
import { startPageSite } from '../support/page-site.ts'
import { startProxyOnlyTargets } from '../support/proxy-only-targets.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, serviceEnvironment, startTestService } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'

const secrets = {
  header: 'secret-header',
  authorization: 'secret-authorization',
  cookieHeader: 'secret-cookie-header',
  cookie: 'secret-cookie',
  forwarded: 'secret-forwarded',
}

onBothStores((kind, start) => {
  test(`${kind}: headers and cookies of a crawl go to the site of its seed and to no other`, async (t) => {
    const site = await startPageSite(t)
    const other = await startPageSite(t)
    addLinkPages(site, {
      '/': ['/near', other.url('/far')],
      '/near': [other.url('/further')],
    })
    addLinkPages(other, { '/far': [site.url('/back')], '/further': [] })
    addLinkPages(site, { '/back': [] })
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()

    const accepted = await callApi(service.url, `POST ${crawlPath}`, {
      headers: { 'x-api-key': account.apiKey, 'x-own': secrets.forwarded },
      body: {
        url: site.url('/'),
        depth: 3,
        same_domain_only: false,
        headers: {
          'x-given': secrets.header,
          authorization: `Bearer ${secrets.authorization}`,
          cookie: `a=${secrets.cookieHeader}`,
        },
        configurations: {
          keep_headers: true,
          cookies: [
            { name: 'b', value: secrets.cookie },
            { name: 'c', value: secrets.cookie, domain: '127.0.0.1' },
          ],
        },
      },
    })
    assert.equal(accepted.statusCode, 202, accepted.text)
    const crawled = await untilCrawled(account, accepted.json().job_id)

    assert.deepEqual(pathsOf(crawled), ['/', '/near', '/far', '/further', '/back'])
    for (const path of ['/', '/near', '/back']) {
      const [request] = site.askedFor(path)
      const told = JSON.stringify(request?.headers)
      for (const secret of Object.values(secrets)) assert.ok(told.includes(secret), path + secret)
    }
    for (const path of ['/robots.txt', '/far', '/further']) {
      const requests = other.askedFor(path)
      assert.equal(requests.length, 1, path)
      assert.doesNotMatch(JSON.stringify(requests[0]?.rawHeaders), /secret/, path)
    }
    assert.doesNotMatch(JSON.stringify(site.askedFor('/robots.txt')[0]?.rawHeaders), /secret/)
  })
})

test('a process without proxies fetches no page and no robots.txt of a crawl accepted with proxies', async (t) => {
  const target = 'shop.example.com'
  const site = await startPageSite(t)
  addLinkPages(site, { '/': ['/1'], '/1': [] })
  const { dns, places, canaries, authorityOf } = await startProxyOnlyTargets(t, {
    [target]: site.port,
  })
  const proxy = await startCountingProxy(t, { label: 'only', places })
  const list = [{ url: `http://127.0.0.1:${proxy.route.port}`, type: 'datacenter', label: 'only' }]
  const { place } = await createTestStore(t, 'postgres')
  const start = (roles: string, proxies: object[]) =>
    startTestService(t, {
      environment: {
        ...serviceEnvironment(place),
        ...reachingLoopback,
        TRAWL_DNS_SERVERS: dns.address,
        TRAWL_ROLES: roles,
        TRAWL_PROXIES: JSON.stringify(proxies),
      },
    })
  const api = await start('api', list)
  const account = await api.createAccount()
  const body = { url: `http://${authorityOf(target)}/`, use_sitemaps: true, ...once }

  const bare = await start('worker', [])
  const crawls = await Promise.all(
    [true, false].map(async (respect_robots) =>
      untilCrawled(account, await startCrawl(account, { ...body, respect_robots })),
    ),
  )
  await bare[Symbol.asyncDispose]()
  const askedThen = proxy.asked.length
  await start('worker', list)
  const proxied = await untilCrawled(account, await startCrawl(account, body))

  for (const { status, results } of crawls) {
    assert.deepEqual([status, results[0]?.error_reason], ['failed', 'NO_PROXY_AVAILABLE'])
  }
  assert.deepEqual([...canaries.reached], [])
  assert.equal(askedThen, 0)
  assert.deepEqual(pathsOf(proxied), ['/', '/1'])
})
