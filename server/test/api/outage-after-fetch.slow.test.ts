/** A page that has been fetched is not lost, nor fetched again, because the store is away just then. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { workLostMessage } from '../../src/queue/lane-worker.ts'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { startCuttableGateway } from '../support/cuttable-gateway.ts'
import { submitExtraction, untilEnded } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const posted = { method: 'POST', body: 'x=1' }

test('postgres: what was fetched when the store went away is recorded when it is back', async (t) => {
  const { site, account, cutWhile } = await startBehindGateway(t)
  const crawlId = await startCrawl(account, { url: site.url('/crawled'), max_depth: 0 })
  ;(await site.untilHeld('/robots.txt')).answer(404)
  const postId = await submitExtraction(account, { url: site.url('/posted'), ...posted })
  const getId = await submitExtraction(account, { url: site.url('/got') })
  const pages = ['/crawled', '/posted', '/got']
  const held = await Promise.all(pages.map((path) => site.untilHeld(path)))

  await cutWhile(async ({ untilRefused }) => {
    for (const request of held) request.answer()
    // By then each has tried to end its task: what converts pages is warm.
    await untilRefused(6)
  })

  for (const id of [postId, getId]) {
    const { status, error } = await untilEnded(account, id)
    assert.deepEqual([status, error], ['completed', null])
  }
  assert.equal((await untilCrawled(account, crawlId)).completed_pages, 1)
  assert.deepEqual(
    pages.map((path) => site.heldAt(path).length),
    [1, 1, 1],
  )
})

test('postgres: a request that must not be repeated is not, and its failure names the outage', async (t) => {
  const { site, account, cutWhile, logged } = await startBehindGateway(t, { TRAWL_LEASE: '1s' })
  const id = await submitExtraction(account, { url: site.url('/posted'), ...posted })
  const request = await site.untilHeld('/posted')
  // On a busy machine a lease of 1 s may have been lost before the request was sent.
  logged.length = 0

  await cutWhile(async () => {
    request.answer()
    await until(() => logged.some((line) => line.includes(workLostMessage)))
  })

  const { status, error } = await untilEnded(account, id)
  assert.deepEqual([status, error?.details?.['reason']], ['failed', 'INTERNAL_ERROR'])
  assert.match(error?.message ?? '', /outcome could not be recorded/)
  assert.equal(site.heldAt('/posted').length, 1)
})

/** A service whose way to PostgreSQL can be cut. */
async function startBehindGateway(t: TestContext, environment: Record<string, string> = {}) {
  const site = await startHoldingSite(t)
  const gateway = await startCuttableGateway(t)
  const { place } = await createTestStore(t, 'postgres')
  const url = new URL(place.url ?? '')
  gateway.leadTo(url.href)
  url.port = new URL(gateway.url).port
  const logged: string[] = []
  const service = await startTestService(t, {
    environment: {
      ...reachingLoopback,
      TRAWL_DATABASE_URL: url.href,
      TRAWL_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
      ...environment,
    },
    log: pino({ level: 'trace' }, { write: (line) => void logged.push(line) }),
  })
  const account = await service.createAccount()
  const warmUpId = await submitExtraction(account, { url: site.url('/') })
  ;(await site.untilHeld('/')).answer()
  await untilEnded(account, warmUpId)
  const cutWhile = async (
    happens: (outage: { untilRefused(count: number): Promise<void> }) => Promise<void>,
  ) => {
    gateway.cut()
    const before = gateway.refusedCount()
    await happens({
      untilRefused: (count) => until(() => gateway.refusedCount() >= before + count),
    })
    gateway.mend()
  }
  return { site, account, cutWhile, logged }
}
