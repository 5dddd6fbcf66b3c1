/** A site that makes up links without end must not fill the store or the memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Database } from '../../src/storage/database.ts'
import { sql } from '../../src/storage/statement.ts'
import { crawlPath, getCrawl, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { startEndlessSite } from '../support/endless-site.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { linkPage } from '../support/link-pages.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const pagesAtOnce = 3
const pathCharacters = 200
const environment = { ...reachingLoopback, TRAWL_CRAWL_HOST_CONCURRENCY: String(pagesAtOnce) }

/**
 * The rows that a crawl may have: its pages, the ends of their redirects, and what pages that end at the
 * same time add. Each of them adds no more than the limit and as many as there are pages already.
 */
const rowsMax = (limit: number) => 2 * limit + pagesAtOnce * 2 * limit

const countRows = async (db: Database, jobId: string): Promise<number> => {
  const [row] = await db.run(
    sql<{ count: number }>`select count(*) as count from crawl_pages where job_id = ${jobId}`,
  )
  return row?.count ?? 0
}

onBothStores((kind, start) => {
  test(`${kind}: a crawl of an endless site ends at its limit, with few rows that are gone then`, async (t) => {
    const site = await startEndlessSite(t)
    const service = await start(t, { environment })
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    const limit = 40

    const id = await startCrawl(account, {
      url: site.url('/'),
      depth: 10,
      limit,
      use_sitemaps: true,
    })
    let rowsMost = 0
    await until(
      async () => {
        rowsMost = Math.max(rowsMost, await countRows(db, id))
        return (await getCrawl(account, id, '?page_size=1')).completed_at !== null
      },
      { withinMs: 300_000 },
    )
    const crawled = await untilCrawled(account, id)

    t.diagnostic(`${rowsMost} rows at most, ${site.asked.length} requests`)
    assert.deepEqual([crawled.status, crawled.total_pages], ['completed', limit])
    assert.equal(new Set(crawled.results.map(({ url }) => url)).size, limit)
    assert.ok(rowsMost > limit && rowsMost <= rowsMax(limit), `There were ${rowsMost} rows.`)
    assert.equal(await countRows(db, id), 0)
    assert.ok(!site.asked.some((path) => path.startsWith('/never')), 'robots.txt was read')
    assert.equal(site.asked.filter((path) => path === '/robots.txt').length, 2)
    const ofHop = crawled.results.find(({ url }) => url === site.url('/hop/0'))
    assert.equal(ofHop?.error_reason, 'TOO_MANY_REDIRECTS')
  })
})

const widePage = (prefix: string, linksCount: number): string =>
  linkPage(Array.from({ length: linksCount }, (_, at) => prefix + at))

/** Bytes that stay in use: the least of some moments, as other work goes on. */
async function heapInUse(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const measured: number[] = []
  for (let times = 0; times < 10; times += 1) {
    for (let turns = 0; turns < 100; turns += 1) await turn()
    collect()
    measured.push(process.memoryUsage().heapUsed)
  }
  return Math.min(...measured)
}

test('the memory of the service does not grow with the frontier', async (t) => {
  const site = await startHoldingSite(t)
  const service = await startTestService(t, { environment })
  const account = await service.createAccount()
  const { db } = await service.openBeside()
  const wide = ['1', '2', '3']
  /** The heap while a crawl has found so many pages and goes on with the first of them. */
  async function heapWith(limit: number, linksCount: number) {
    const seed = `/${limit}`
    const leaf = `${seed}/leaf/`.padEnd(pathCharacters, 'long-')
    const body = { url: site.url(seed), depth: 3, limit, respect_robots: false, formats: ['text'] }
    const id = await startCrawl(account, body)
    const pages = wide.map((one) => `${seed}/${one}`)
    ;(await site.untilHeld(seed)).answer(200, {}, linkPage(pages))
    const held = await Promise.all(pages.map((page) => site.untilHeld(page)))
    // The last first, so that each adds its links: none knows of those before.
    for (const [index, request] of [...held.entries()].toReversed()) {
      const rowsBefore = await countRows(db, id)
      request.answer(200, {}, widePage(`${leaf}${index}-`, linksCount))
      await until(
        async () =>
          (await countRows(db, id)) > rowsBefore ||
          (await getCrawl(account, id, '?page_size=1')).completed_pages > held.length,
        { withinMs: 120_000 },
      )
    }
    await site.untilHeld(`${leaf}0-0`)
    const rows = await countRows(db, id)
    const heap = await heapInUse()
    await account.call(`DELETE ${crawlPath}/${id}`)
    for (const request of [0, 1, 2].flatMap((at) => site.heldAt(`${leaf}0-${at}`))) request.answer()
    await untilCrawled(account, id)
    assert.equal(await countRows(db, id), 0)
    return { heap, rows }
  }

  await heapWith(3_600, 7_600)
  const few = await heapWith(20, 50)
  const many = await heapWith(4_000, 8_000)

  const grownBytes = many.heap - few.heap
  const urlBytes = (many.rows - few.rows) * pathCharacters
  t.diagnostic(`${many.rows} rows of ${urlBytes} bytes, ${grownBytes} bytes grown`)
  assert.ok(many.rows > 10_000 && many.rows <= rowsMax(4_000), `There were ${many.rows} rows.`)
  // Pages in memory would have keys and objects, too.
  assert.ok(grownBytes < urlBytes / 2, `${grownBytes} bytes more for ${urlBytes} bytes of URLs`)
})
