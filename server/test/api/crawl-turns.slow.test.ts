import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { crawlPath, getCrawl, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const links = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `<a href="/${name}/${index}">${index}</a>`).join('')

onBothStores((kind, start) => {
  for (const [what, delay_ms] of [
    ['another crawl', 0],
    ['a crawl with a delay', 1],
  ] as const) {
    test(`${kind}: ${what} has its turn at a host that a large crawl keeps busy`, async (t) => {
      const site = await startHoldingSite(t)
      const service = await start(t, {
        environment: { ...reachingLoopback, TRAWL_CRAWL_HOST_CONCURRENCY: '2' },
      })
      const [many, few] = [await service.createAccount(), await service.createAccount()]
      const options = { respect_robots: false, depth: 2, limit: 100 }
      const large = await startCrawl(many, { url: site.url('/many'), ...options })
      ;(await site.untilHeld('/many')).answer(200, {}, links('many', 30))
      await site.untilHeld('/many/0')
      await site.untilHeld('/many/1')

      const small = await startCrawl(few, { url: site.url('/few'), ...options, delay_ms })
      // It is in line once it has looked.
      const { db } = await service.openBeside()
      const inLine = sql`select job_id from crawl_turns where job_id = ${small}`
      await until(async () => (await db.run(inLine)).length === 1)
      for (let next = 0; site.heldAt('/few').length === 0; next += 1) {
        assert.ok(next < 6, 'the small crawl is asked for within a few pages of the large one')
        ;(await site.untilHeld(`/many/${next}`)).answer()
        await until(
          () => site.heldAt('/few').length > 0 || site.heldAt(`/many/${next + 1}`).length > 0,
        )
      }
      for (const request of site.heldAt('/few')) request.answer()
      await untilCrawled(few, small)

      assert.equal((await getCrawl(many, large)).completed_at, null)
    })
  }

  test(`${kind}: a crawl that is cancelled in the line of a host holds up nobody`, async (t) => {
    const site = await startHoldingSite(t)
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_CRAWL_HOST_CONCURRENCY: '1' },
    })
    const account = await service.createAccount()
    const options = { respect_robots: false, depth: 1 }
    await startCrawl(account, { url: site.url('/running'), ...options })
    const running = await site.untilHeld('/running')
    const { db } = await service.openBeside()
    const inLine = sql<{ id: string }>`select job_id as id from crawl_turns`

    const id = await startCrawl(account, { url: site.url('/cancelled'), ...options })
    await until(async () => (await db.run(inLine)).some((one) => one.id === id))
    await account.call(`DELETE ${crawlPath}/${id}`)
    await untilCrawled(account, id)
    const left = await db.run(inLine)
    running.answer()

    assert.deepEqual(left, [])
  })
})
