import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CrawlJobList } from '../../src/wire/crawl/responses.ts'
import { crawlPath, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { faultsIn } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, start) => {
  test(`${kind}: listing crawls`, async (t) => {
    const site = await startPageSite(t)
    const held = await startHoldingSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const crawl = async (body: object) => untilCrawled(account, await startCrawl(account, body))
    const list = async (query = '') => {
      const answer = await account.call(`GET ${crawlPath}/jobs${query}`)
      assert.equal(answer.statusCode, 200, answer.text)
      return CrawlJobList.strict().parse(answer.json())
    }
    const idsOf = async (query: string) => (await list(query)).jobs.map(({ job_id }) => job_id)
    assert.deepEqual(await list(), { jobs: [], page: 1, page_size: 100, page_count: 0 })

    const fish = await crawl({ url: site.url('/Fish_100%?token=secret') })
    const bird = await crawl({ url: site.url('/bird'), include_subdomains: true })
    const refused = await crawl({
      url: 'http://127.0.0.1:1025/',
      configurations: { retries: { useRetries: false } },
    })
    const running = await startCrawl(account, { url: held.url('/open'), respect_robots: false })
    const seed = await held.untilHeld('/open')
    t.after(() => seed.answer())

    await t.test('the newest crawl comes first, with counts and configuration', async () => {
      const { jobs, ...page } = await list()

      assert.deepEqual(page, { page: 1, page_size: 100, page_count: 1 })
      assert.deepEqual(
        jobs.map(({ job_id, status }) => [job_id, status]),
        [
          [running, 'processing'],
          [refused.job_id, 'failed'],
          [bird.job_id, 'completed'],
          [fish.job_id, 'completed'],
        ],
      )
      const {
        results,
        token_summary,
        crawl_config,
        delivery,
        cancelled_pages,
        pending_pages,
        frontier_pages,
        ...facts
      } = bird
      assert.deepEqual(jobs[2], { ...facts, config: crawl_config })
      assert.deepEqual([jobs[1]?.total_pages, jobs[1]?.failed_pages], [1, 1])
    })

    await t.test('crawls are found by a part of the URL in any case', async () => {
      assert.deepEqual(await idsOf('?url=fish_100%25'), [fish.job_id])
      assert.deepEqual(await idsOf('?url=BIRD'), [bird.job_id])
      assert.deepEqual(await idsOf('?url=%25'), [fish.job_id])
      assert.deepEqual(await idsOf('?url=TOKEN%3Dsecret'), [fish.job_id])
      assert.deepEqual(await idsOf('?url=secret&status=failed'), [])
      assert.deepEqual(await idsOf('?url=127.0.0.1&page=2&page_size=3'), [fish.job_id])
      assert.equal((await idsOf('?url=')).length, 4)
    })

    await t.test('crawls are found by status and date', async () => {
      assert.deepEqual(await idsOf('?status=processing'), [running])
      assert.deepEqual(await idsOf('?status=failed'), [refused.job_id])
      assert.deepEqual(await idsOf('?status=cancelled'), [])
      const at = encodeURIComponent(bird.created_at)
      assert.deepEqual(await idsOf(`?start_date=${at}&end_date=${at}`), [bird.job_id])
      assert.deepEqual(await idsOf('?end_date=2001-01-01'), [])
    })

    await t.test('a list comes in pages', async () => {
      const second = await list('?page=2&page_size=3')

      assert.deepEqual(
        second.jobs.map(({ job_id }) => job_id),
        [fish.job_id],
      )
      assert.equal(second.page_count, 2)
      assert.deepEqual((await list('?page=3&page_size=3')).jobs, [])
      assert.deepEqual(faultsIn(await account.call(`GET ${crawlPath}/jobs?status=done`)), [
        'query.status literal_error',
      ])
    })

    await t.test('another account sees none of them', async () => {
      const stranger = await service.createAccount()
      assert.deepEqual((await stranger.call(`GET ${crawlPath}/jobs`)).json().jobs, [])
    })
  })
})
