/** How far a crawl goes: depth, limit, and how much of it is in the queue. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { crawlPath, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { extracted } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { addLinkPages, linkPage, pathsOf } from '../support/link-pages.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

onBothStores((kind, start) => {
  test(`${kind}: the limits of a crawl`, async (t) => {
    const site = await startPageSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    const crawl = async (body: object) => untilCrawled(account, await startCrawl(account, body))

    const countQueued = async (jobId: string): Promise<number> => {
      const [row] = await db.run(
        sql<{ count: number }>`
          select count(*) as count from tasks
          where job_id = ${jobId} and state = 'open' and crawl_host is not null`,
      )
      return row?.count ?? 0
    }

    const countPages = async (jobId: string): Promise<number> => {
      const [row] = await db.run(
        sql<{ count: number }>`select count(*) as count from crawl_pages where job_id = ${jobId}`,
      )
      return row?.count ?? 0
    }

    await t.test('depth is exact', async () => {
      addLinkPages(site, { '/1': ['/2', '/1'], '/2': ['/3'], '/3': ['/4'], '/4': ['/5'] })

      for (const depth of [1, 2, 3]) {
        const paths = ['/1', '/2', '/3'].slice(0, depth)
        assert.deepEqual(pathsOf(await crawl({ url: site.url('/1'), depth })), paths)
      }
    })

    await t.test('limit is exact and takes the first pages, whichever end first', async () => {
      const held = await startHoldingSite(t)
      const body = { url: held.url('/'), depth: 3, limit: 8, respect_robots: false }
      const id = await startCrawl(account, body)
      ;(await held.untilHeld('/')).answer(200, {}, linkPage(['/a', '/b', '/c']))
      const [a, b, c] = [
        await held.untilHeld('/a'),
        await held.untilHeld('/b'),
        await held.untilHeld('/c'),
      ]
      const linksOf = (name: string) => [1, 2, 3, 4, 5].map((number) => `/${name}/${number}`)

      c.answer(200, {}, linkPage(linksOf('c')))
      await until(async () => (await countPages(id)) === 4 + 5)
      b.answer(200, {}, linkPage(['/c/2', ...linksOf('b').slice(0, 2)]))
      await until(async () => (await countPages(id)) === 4 + 7)
      a.answer(200, {}, linkPage(['/c/5']))
      const pages = ['/c/5', '/c/2', '/b/1', '/b/2']
      for (const path of pages) (await held.untilHeld(path)).answer()
      const crawled = await untilCrawled(account, id)

      assert.deepEqual(pathsOf(crawled), ['/', '/a', '/b', '/c', ...pages])
      assert.deepEqual(
        crawled.results.slice(4).map(({ parent_url }) => parent_url),
        ['/a', '/b', '/b', '/b'].map(held.url),
      )
    })

    await t.test('failed pages count for the limit', async () => {
      site.page('/broken', (request) => request.socket.destroy())
      addLinkPages(site, { '/partly': ['/broken', '/2', '/3'] })

      const crawled = await crawl({
        url: site.url('/partly'),
        limit: 3,
        configurations: { retries: { useRetries: false } },
      })

      assert.deepEqual(pathsOf(crawled), ['/partly', '/broken', '/2'])
      assert.deepEqual(
        [crawled.status, crawled.total_pages, crawled.completed_pages, crawled.failed_pages],
        ['completed', 3, 2, 1],
      )
    })

    await t.test('at most 100 pages of a crawl are queued, of many hosts at once', async () => {
      const hosts = await Promise.all(Array.from({ length: 15 }, () => startHoldingSite(t)))
      const [first] = hosts
      const paths = Array.from({ length: 10 }, (_, index) => `/${index}`)
      const links = hosts.flatMap((host) => paths.map((path) => host.url(path)))
      const id = await startCrawl(account, {
        url: first?.url('/') ?? '',
        same_domain_only: false,
        respect_robots: false,
        limit: 200,
      })
      ;(await first?.untilHeld('/'))?.answer(200, {}, linkPage(links))
      let queuedMax = 0
      const answered = new Set<object>()
      await until(async () => {
        const queued = await countQueued(id)
        queuedMax = Math.max(queuedMax, queued)
        if (queuedMax < 100) return false
        for (const request of hosts.flatMap((host) => paths.flatMap(host.heldAt))) {
          if (!answered.has(request)) request.answer()
          answered.add(request)
        }
        return answered.size === links.length
      })
      const crawled = await untilCrawled(account, id)

      assert.equal(queuedMax, 100)
      assert.equal(crawled.completed_pages, 151)
    })

    await t.test(
      'a crawl of a slow host holds up neither single tasks nor other crawls',
      async () => {
        const slow = await startHoldingSite(t)
        const body = { url: slow.url('/'), respect_robots: false, limit: 200 }
        const id = await startCrawl(account, body)
        const paths = Array.from({ length: 30 }, (_, index) => `/${index}`)
        ;(await slow.untilHeld('/')).answer(200, {}, linkPage(paths))
        await slow.untilHeld('/7')

        const alone = await extracted(account, { url: site.url('/2') })
        const other = await crawl({ url: site.url('/1') })
        const heldThen = paths.flatMap(slow.heldAt)
        for (const request of heldThen) request.answer()
        for (const path of paths.slice(8)) (await slow.untilHeld(path)).answer()
        const crawled = await untilCrawled(account, id)

        assert.equal(alone.metadata.http_status, 200)
        assert.equal(other.status, 'completed')
        assert.equal(heldThen.length, 8)
        assert.equal(crawled.completed_pages, 31)
      },
    )

    await t.test('an account has at most 100 open crawls; others are not affected', async () => {
      const [many, other] = [await service.createAccount(), await service.createAccount()]
      const slow = await startHoldingSite(t)
      const body = { url: slow.url('/'), respect_robots: false, depth: 1 }
      const ids = await Promise.all(Array.from({ length: 100 }, () => startCrawl(many, body)))

      const refused = await many.callWithoutRetry(`POST ${crawlPath}`, body)
      await startCrawl(other, body)
      const alone = await extracted(many, { url: site.url('/2') })
      const cancelled = ids.at(-1) ?? ''
      await many.call(`DELETE ${crawlPath}/${cancelled}`)
      await untilCrawled(many, cancelled)
      const after = await many.callWithoutRetry(`POST ${crawlPath}`, body)

      assertFailure(refused, 'QUEUE_FULL')
      assert.match(String(refused.headers['retry-after']), /^[1-9][0-9]*$/)
      assert.equal(alone.metadata.http_status, 200)
      assert.equal(after.statusCode, 202)
    })
  })
})
