/** What a crawl leaves behind: events, statistics, stored results, rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { startRetention } from '../../src/tasks/upkeep/retention.ts'
import { crawlPath, getCrawl, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { extracted } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { addLinkPages, linkPage, pathsOf } from '../support/link-pages.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { silentLog } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const hour = 3_600_000

onBothStores((kind, start) => {
  test(`${kind}: what a crawl leaves behind`, async (t) => {
    const site = await startPageSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })
    const { db } = await service.openBeside()

    await t.test('each end is one event for the webhook and one for the callback', async (t) => {
      const account = await service.createAccount()
      const held = await startHoldingSite(t)
      const hook = { url: `${receiver.url}/hook`, event_type: 'crawl_completed' }
      const others = { url: `${receiver.url}/others`, event_type: 'extract_completed' }
      const { id: webhookId } = (await account.call('POST /v1/webhooks', hook)).json()
      await account.call('POST /v1/webhooks', others)
      addLinkPages(site, { '/told': ['/told/1'], '/told/1': [] })
      const callback_url = `${receiver.url}/callback`
      const respect_robots = false

      const completed = await startCrawl(account, { url: site.url('/told'), callback_url })
      const failed = await startCrawl(account, {
        url: 'http://127.0.0.1:1025/',
        callback_url,
        configurations: { retries: { useRetries: false } },
      })
      const cancelled = await startCrawl(account, {
        url: held.url('/'),
        callback_url,
        respect_robots,
      })
      const seed = await held.untilHeld('/')
      await account.call(`DELETE ${crawlPath}/${cancelled}`)
      seed.answer(200, {}, linkPage(['/never']))
      const crawl = await untilCrawled(account, completed)
      for (const id of [failed, cancelled]) await untilCrawled(account, id)
      await receiver.arrivals(3, '/hook')
      await receiver.arrivals(3, '/callback')

      const told = ['/hook', '/callback'].map((path) =>
        receiver.received
          .filter((one) => one.path === path)
          .map(({ json }) => [json.data.job_id, json.data.status, json.event, json.webhook_id])
          .toSorted(),
      )
      const wanted = (webhook: string | null) =>
        [
          [completed, 'completed', 'crawl_completed', webhook],
          [failed, 'failed', 'crawl_completed', webhook],
          [cancelled, 'cancelled', 'crawl_completed', webhook],
        ].toSorted()
      assert.deepEqual(told, [wanted(webhookId), wanted(null)])
      assert.deepEqual(
        receiver.received.filter(({ path }) => path === '/others'),
        [],
      )
      const event = receiver.received.find(({ json }) => json.data.job_id === completed)?.json
      const { delivery, frontier_pages, ...shown } = crawl
      assert.deepEqual(event.data, {
        ...shown,
        results: crawl.results.map((one) => ({ ...one, links: [], data: null, metadata: null })),
      })
      await until(async () => (await getCrawl(account, completed)).delivery.status === 'delivered')
    })

    await t.test('its pages count in the statistics, cancelled ones do not', async (t) => {
      const account = await service.createAccount()
      const held = await startHoldingSite(t)
      addLinkPages(site, { '/counted': ['/counted/1'], '/counted/1': [] })
      await untilCrawled(account, await startCrawl(account, { url: site.url('/counted') }))
      const id = await startCrawl(account, { url: held.url('/'), respect_robots: false, limit: 30 })
      const paths = Array.from({ length: 20 }, (_, index) => `/${index}`)
      ;(await held.untilHeld('/')).answer(200, {}, linkPage(paths))
      const running = await Promise.all(paths.slice(0, 8).map((path) => held.untilHeld(path)))
      await account.call(`DELETE ${crawlPath}/${id}`)
      for (const request of running) request.answer()
      await untilCrawled(account, id)

      const statistics = (await account.call('GET /v1/statistics')).json()

      assert.equal(statistics.extraction_count, 2 + 9)
      assert.equal(statistics.period_tokens_used, 2 + 9)
      assert.equal(statistics.success_rate, 1)
      assert.deepEqual((await account.call('GET /v1/extract/jobs')).json().jobs, [])
    })

    await t.test(
      'with max_age stored pages are not fetched, and their links are followed',
      async () => {
        const account = await service.createAccount()
        const stranger = await service.createAccount()
        site.page('/moved', (_, response) => response.writeHead(302, { location: '/new' }).end())
        addLinkPages(site, {
          '/aged': ['/aged/1', '/moved'],
          '/aged/1': ['/aged/2', '/aged/3'],
          '/aged/2': ['/aged/3'],
          '/aged/3': [],
          '/new': ['/aged/4'],
          '/aged/4': [],
        })
        await extracted(account, { url: site.url('/aged/2'), formats: ['markdown'] })
        const body = { url: site.url('/aged'), depth: 4, max_age: hour }

        const first = await untilCrawled(account, await startCrawl(account, body))
        const second = await untilCrawled(account, await startCrawl(account, body))
        await untilCrawled(stranger, await startCrawl(stranger, body))

        const paths = ['/aged', '/aged/1', '/moved', '/aged/2', '/aged/3', '/aged/4']
        assert.deepEqual(pathsOf(first), paths)
        assert.deepEqual(pathsOf(second), paths)
        assert.deepEqual(
          second.results.map(({ parent_url, links, data }) => [parent_url, links, data]),
          first.results.map(({ parent_url, links, data }) => [parent_url, links, data]),
        )
        // The seed is fetched each time: it says what is new.
        assert.equal(site.askedFor('/aged').length, 3)
        for (const path of paths.slice(1)) assert.equal(site.askedFor(path).length, 2, path)
        assert.deepEqual(second.token_summary, { tokens_charged_total: 1, tokens_reserved: 0 })
      },
    )

    await t.test('the pages of a crawl share its session', async () => {
      const account = await service.createAccount()
      site.page('/login', (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'who=me; Path=/' })
        response.end(linkPage(['/inside']))
      })
      addLinkPages(site, { '/inside': [] })

      await untilCrawled(
        account,
        await startCrawl(account, { url: site.url('/login'), session: 'one' }),
      )

      assert.deepEqual(
        site.askedFor('/inside').map(({ headers }) => headers.cookie),
        ['who=me'],
      )
    })

    await t.test('a crawl goes as a whole when its time is over', async (t) => {
      const account = await service.createAccount()
      addLinkPages(site, { '/gone': ['/gone/1', '/gone/2'], '/gone/1': [], '/gone/2': [] })
      const id = await startCrawl(account, { url: site.url('/gone'), limit: 2, delay_ms: 10 })
      await untilCrawled(account, id)
      const kept = { resultsMs: 0, tasksMs: 0, idempotencyMs: hour, statisticsMs: hour }

      const retention = startRetention({ db, log: silentLog, kept, sweepIntervalMs: 50 })
      t.after(() => retention[Symbol.asyncDispose]())
      await until(async () => (await account.call(`GET ${crawlPath}/${id}`)).statusCode === 404)

      const [left] = await db.run(sql<{ count: number }>`
        select (select count(*) from crawl_pages where job_id = ${id})
               + (select count(*) from tasks where job_id = ${id}) as count`)
      assert.equal(left?.count, 0)
      await until(async () => (await db.run(sql`select host from crawl_hosts`)).length === 0)
    })
  })
})
