/** What each account gets of a host that several accounts crawl. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { startCrawl } from '../support/crawl-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, type startTestService, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

/** A host whose pages stay open until the test answers them, and accounts that crawl it. */
async function openScene(t: TestContext, start: typeof startTestService, hostConcurrency: number) {
  const site = await startHoldingSite(t)
  const environment = {
    ...reachingLoopback,
    TRAWL_CRAWL_HOST_CONCURRENCY: String(hostConcurrency),
  }
  const service = await start(t, { environment })
  const { db } = await service.openBeside()
  return {
    site,
    createAccount: () => service.createAccount(),
    async crawl(account: TestAccount, path: string, options: object = { respect_robots: false }) {
      return startCrawl(account, { url: site.url(path), depth: 1, ...options })
    },
    /** A crawl that has no place waits in a line once it has looked. */
    async untilWaiting(jobId: string) {
      const inLine = sql`select host from crawl_turns where job_id = ${jobId}`
      await until(async () => (await db.run(inLine)).length > 0)
    },
    heldCount: (paths: readonly string[]) => paths.flatMap((path) => site.heldAt(path)).length,
  }
}

onBothStores((kind, start) => {
  test(`${kind}: an account that holds every place at a host keeps no other from it`, async (t) => {
    const { site, createAccount, crawl, untilWaiting, heldCount } = await openScene(t, start, 8)
    const [greedy, second, third, fourth] = [
      await createAccount(),
      await createAccount(),
      await createAccount(),
      await createAccount(),
    ]
    const paths = Array.from({ length: 10 }, (_, index) => `/greedy/${index}`)
    for (const path of paths) await crawl(greedy, path)
    await until(() => heldCount(paths) === 8)

    await crawl(second, '/second')
    await site.untilHeld('/second')
    await crawl(third, '/third')
    await site.untilHeld('/third')
    // A quarter more is all there is: the next account has the next place that gets free.
    await untilWaiting(await crawl(fourth, '/fourth'))
    assert.equal(heldCount(['/fourth']), 0)
    paths.flatMap((path) => site.heldAt(path))[0]?.answer()
    await until(() => heldCount(['/fourth']) > 0 || heldCount(paths) > 8)

    assert.equal(heldCount(paths), 8)
  })

  test(`${kind}: a free place at a host goes to the account that holds the fewest`, async (t) => {
    const { site, createAccount, crawl, untilWaiting, heldCount } = await openScene(t, start, 2)
    const [greedy, quick, patient] = [
      await createAccount(),
      await createAccount(),
      await createAccount(),
    ]
    await crawl(greedy, '/greedy')
    await site.untilHeld('/greedy')
    await crawl(quick, '/quick')
    const page = await site.untilHeld('/quick')
    const more = ['/greedy/1', '/greedy/2', '/greedy/3']
    for (const path of more) await untilWaiting(await crawl(greedy, path))
    await untilWaiting(await crawl(patient, '/patient'))

    page.answer()
    await until(() => heldCount([...more, '/patient']) > 0)

    assert.equal(heldCount(more), 0)
  })

  test(`${kind}: accounts take turns at a host that asks for a delay`, async (t) => {
    const { site, createAccount, crawl, untilWaiting, heldCount } = await openScene(t, start, 8)
    const [greedy, patient] = [await createAccount(), await createAccount()]
    const robots = { respect_robots: true }
    const answerRobots = async (count: number) =>
      (await site.untilHeld('/robots.txt', count)).answer(
        200,
        { 'content-type': 'text/plain' },
        'User-agent: *\nCrawl-delay: 0.1',
      )
    await crawl(greedy, '/greedy', robots)
    await answerRobots(1)
    const page = await site.untilHeld('/greedy')
    const more = ['/greedy/1', '/greedy/2', '/greedy/3']
    for (const path of more) await untilWaiting(await crawl(greedy, path, robots))
    const waiting = await crawl(patient, '/patient', robots)
    await answerRobots(2)
    await untilWaiting(waiting)

    page.answer()
    await until(() => heldCount([...more, '/patient']) > 0)

    assert.equal(heldCount(more), 0)
  })
})
