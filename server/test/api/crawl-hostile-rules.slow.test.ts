/** Rules that take long to apply, of a site or of a caller, must not hold up the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { linkPage, pathsOf } from '../support/link-pages.ts'
import { watchTurns } from '../support/longest-turn.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'

/** A turn of the crawl is 5 ms; without turns the pages below would take seconds. */
const turnMsMax = 250

const manyOf = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => one(index))

test('hostile rules', async (t) => {
  const site = await startPageSite(t)
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()
  const paths = manyOf(15_000, (index) => `/${'a'.repeat(40)}/${index}`)
  const longPaths = manyOf(20, (index) => `/${'a'.repeat(8_000)}${index}`)
  site.page('/', linkPage(paths.slice(0, 4_000)))

  const robots: [name: string, lines: string[], links: string[]][] = [
    ['10 000 patterns of many stars', manyOf(9_999, (at) => `Disallow: /*a*a*a*a*a*${at}b`), paths],
    [
      '10 000 plain patterns',
      manyOf(9_999, (at) => `Disallow: /other/pages/of/the/site/${at}`),
      paths.slice(0, 4_000),
    ],
    [
      'patterns as long as URLs',
      manyOf(100, (at) => `Disallow: /*${'a'.repeat(2_400)}b${'a'.repeat(2_400)}${at}`),
      longPaths,
    ],
  ]
  for (const [name, lines, links] of robots) {
    await t.test(`a robots.txt of ${name} does not stall others`, async (t) => {
      const hostile = await startPageSite(t)
      hostile.page('/robots.txt', ['User-agent: *', 'Disallow: /a', ...lines].join('\n'))
      hostile.page('/', linkPage(links))
      const turns = watchTurns(t)

      const id = await startCrawl(account, { url: hostile.url('/') })
      const crawled = await untilCrawled(account, id)

      assert.deepEqual(pathsOf(crawled), ['/'])
      assert.ok(turns.longestMs() < turnMsMax, `A turn took ${turns.longestMs()} ms.`)
    })
  }

  await t.test('200 globs do not stall others', async (t) => {
    const turns = watchTurns(t)
    const glob = `*${'a*'.repeat(8)}b`

    const id = await startCrawl(account, {
      url: site.url('/'),
      include_paths: manyOf(100, (at) => `${glob}${at}`),
      exclude_paths: manyOf(100, (at) => `${at}${glob}`),
    })

    assert.deepEqual(pathsOf(await untilCrawled(account, id)), ['/'])
    assert.ok(turns.longestMs() < turnMsMax, `A turn took ${turns.longestMs()} ms.`)
  })
})
