/** The memory of what maps and crawls fetch beside pages. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { defaultScrapeOptions } from '../../src/domain/scrape/scrape-options.ts'
import type { HttpEngine } from '../../src/engines/http/http-engine.ts'
import { startContentWorkers } from '../../src/formats/workers/content-workers.ts'
import { mapSite } from '../../src/jobs/map/map-site.ts'
import { engineWithMemory } from '../../src/jobs/sitemaps/fetch-document.ts'
import { MemoryBudget } from '../../src/runtime/sharing/memory-budget.ts'
import { startPageSite } from '../support/page-site.ts'
import { silentLog } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import { openEngine } from './open-engine.ts'

const mebibyte = 2 ** 20

/** A site with two sitemaps of 4 MiB each, and a budget for one of them. */
async function startScene(t: TestContext) {
  const site = await startPageSite(t)
  const sitemap = (name: string) => (_: unknown, response: ServerResponse) => {
    const urls = `<url><loc>${site.url(`/${name}`)}</loc></url>`.padEnd(4 * mebibyte)
    response.writeHead(200).end(`<urlset>${urls}</urlset>`)
  }
  for (const name of ['one', 'two']) site.page(`/${name}.xml`, sitemap(name))
  site.page(
    '/robots.txt',
    `Sitemap: ${site.url('/one.xml')}\nSitemap: ${site.url('/two.xml')}\nSitemap: ${site.url('/sitemap.xml')}`,
  )
  const memoryBudget = new MemoryBudget({ total: 5 * mebibyte })
  const { fetch } = openEngine(t)
  const contents = startContentWorkers({ count: 1, log: silentLog })
  t.after(() => contents[Symbol.asyncDispose]())
  const engine: HttpEngine = { fetch: ({ url, ...order }) => fetch(url, order) }
  const map = (signal = new AbortController().signal) =>
    mapSite(
      { engine: engineWithMemory(engine, memoryBudget), contents },
      { url: site.url('/'), search: null, includesSubdomains: false, ignoresQueries: true },
      {
        url: site.url('/'),
        options: defaultScrapeOptions,
        timeoutMs: 60_000,
        forwardedHeaders: {},
        accountId: 'a',
        signal,
      },
    )
  return { site, memoryBudget, map }
}

test('a map waits for memory before it reads large sitemaps, one after the other', async (t) => {
  const { site, memoryBudget, map } = await startScene(t)
  const other = memoryBudget.open()
  await other.reserve(5 * mebibyte)

  let isMapped = false
  const mapping = map().finally(() => {
    isMapped = true
  })
  await until(() => other.isWanted())
  const isEarly = isMapped
  other[Symbol.dispose]()
  const { page } = await mapping

  assert.equal(isEarly, false)
  const links = JSON.parse(Buffer.from(page.body).toString())
  assert.deepEqual(
    links.map(({ url }: { url: string }) => url),
    [site.url('/one'), site.url('/two')],
  )
  await memoryBudget.open().reserve(5 * mebibyte)
})

test('a map that is cancelled while it waits for memory holds none', async (t) => {
  const { memoryBudget, map } = await startScene(t)
  const other = memoryBudget.open()
  await other.reserve(5 * mebibyte)
  const caller = new AbortController()

  const mapping = map(caller.signal)
  await until(() => other.isWanted())
  caller.abort(new Error('cancelled'))
  await assert.rejects(mapping, { message: 'cancelled' })
  other[Symbol.dispose]()

  await memoryBudget.open().reserve(5 * mebibyte)
})
