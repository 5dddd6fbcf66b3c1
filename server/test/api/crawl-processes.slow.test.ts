import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { faultEnvironment, ServiceProcess } from '../faults/service-process.ts'
import { callApi } from '../support/call-api.ts'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { judgeJob } from '../support/job-ledger.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { startTimedSite } from '../support/timed-site.ts'
import { startTrapSite } from '../support/trap-site.ts'

const hostConcurrency = 3

/** Two processes on one PostgreSQL, each as its callers see it. */
async function startTwoProcesses(t: TestContext) {
  const { place } = await createTestStore(t, 'postgres')
  const start = async () => {
    const service = new ServiceProcess({
      ...serviceEnvironment(place),
      TRAWL_CRAWL_HOST_CONCURRENCY: String(hostConcurrency),
      // One process alone cannot take every page that may be underway.
      TRAWL_HTTP_CONCURRENCY: String(hostConcurrency - 1),
    })
    t.after(() => service[Symbol.asyncDispose]())
    await service.start()
    const headers = { 'x-api-key': faultEnvironment.TRAWL_API_KEY }
    const call = (request: string, body?: unknown) =>
      callApi(service.url, request, { headers, body })
    const countPages = () =>
      service.metric('trawl_scrape_tasks_total\\{engine="http",outcome="completed"\\}')
    return { call, countPages }
  }
  return [await start(), await start()] as const
}

test('postgres: two processes crawl one site together, right and polite', async (t) => {
  const site = await startTrapSite(t, { goodPageCount: 200, latencyMs: 10, slowMs: 30 })
  const [first, second] = await startTwoProcesses(t)

  const id = await startCrawl(first, { url: site.seedUrl, depth: 6, limit: 10_000 })
  const body = await untilCrawled(second, id, 240_000)

  const expected = site.expectedPages({ depth: 6 })
  const requests = site.log.requests.filter(({ kind }) => kind === 'page' || kind === 'redirect')
  const records = { body, expected, deliveries: [], receivers: [], requests, retries: 2 }
  assert.deepEqual(judgeJob(records), [])
  const fetched = [await first.countPages(), await second.countPages()]
  assert.ok(Math.min(...fetched) > 0, `The processes fetched ${fetched.join(' and ')} pages.`)
  // One more for the robots.txt of each process.
  assert.ok(site.log.underwayMax(new URL(site.seedUrl).host) <= hostConcurrency + 2)
})

test('postgres: the pauses at a host hold over two crawls in two processes', async (t) => {
  const { site, times, pausesMs } = await startTimedSite(t, 'User-agent: *\nCrawl-delay: 0.4')
  const [first, second] = await startTwoProcesses(t)
  const body = { url: site.url('/'), limit: 5 }

  const ids = [await startCrawl(first, body), await startCrawl(second, body)]
  for (const id of ids) await untilCrawled(first, id)

  assert.equal(times.length, 10)
  assert.ok(Math.min(...pausesMs()) >= 390, `The pauses were ${pausesMs()}.`)
})
