import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { script, sql } from '../../src/storage/statement.ts'
import { crawlPath, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { linkPage } from '../support/link-pages.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { serviceEnvironment, startTestService } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

test('postgres: a crawl that is cancelled while its pages are chosen ends, and none is fetched', async (t) => {
  const { place } = await createTestStore(t, 'postgres')
  const service = await startTestService(t, {
    environment: { ...serviceEnvironment(place), ...reachingLoopback },
  })
  const account = await service.createAccount()
  const { db } = await service.openBeside()
  const site = await startPageSite(t)
  const other = await startHoldingSite(t)
  site.page('/', linkPage(['/1', '/2', other.url('/3')]))
  const [locker, gate] = [await connect(place.url), await connect(place.url)]
  /** Resolves once a statement like this one waits for a lock. */
  const untilWaiting = (text: string) =>
    until(async () => {
      const waiting = await db.run(sql`
        select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like ${text}`)
      return waiting.length > 0
    })

  const id = await startCrawl(account, { url: site.url('/'), same_domain_only: false })
  const robots = await other.untilHeld('/robots.txt')
  // Tasks refer to their account: the pages are chosen, and their commit waits half way.
  await locker.query('begin; select id from accounts for update')
  robots.answer(404)
  await untilWaiting('%insert into tasks%')
  const cancelling = account.call(`DELETE ${crawlPath}/${id}`)
  await untilWaiting('%update jobs set state = %')
  // What is chosen is not queued before the crawl is cancelled, however late that one is woken.
  await gate.query('begin; lock table crawl_hosts in exclusive mode')
  await locker.end()
  const answer = await cancelling
  await gate.end()
  const crawl = await untilCrawled(account, id)

  assert.equal(answer.statusCode, 202)
  assert.equal(answer.json().in_flight_pages, 0)
  assert.equal(crawl.status, 'cancelled')
  assert.deepEqual([crawl.completed_pages, crawl.cancelled_pages, crawl.pending_pages], [1, 3, 0])
  assert.deepEqual(site.asked, ['/robots.txt', '/'])
})

test('postgres: the pages that a crawl chooses are inserted many at a time', async (t) => {
  const { place } = await createTestStore(t, 'postgres')
  const service = await startTestService(t, {
    environment: { ...serviceEnvironment(place), ...reachingLoopback },
  })
  const account = await service.createAccount()
  const { db } = await service.openBeside()
  const site = await startHoldingSite(t)
  await db.run(script(countInserts))

  const id = await startCrawl(account, { url: site.url('/'), limit: 61, respect_robots: false })
  const links = Array.from({ length: 60 }, (_, at) => `/${at}`)
  ;(await site.untilHeld('/')).answer(200, {}, linkPage(links))
  await site.untilHeld('/0')
  const [counted] = await db.run(sql`select count(*) as inserts, sum(rows) as rows from inserts`)
  await account.call(`DELETE ${crawlPath}/${id}`)
  for (const request of links.flatMap((link) => site.heldAt(link))) request.answer()

  assert.deepEqual(counted, { inserts: 4, rows: 61 })
})

const countInserts = `
  create table inserts (rows integer not null);
  create function count_insert() returns trigger language plpgsql as $$
    begin
      insert into inserts select count(*) from inserted;
      return null;
    end $$;
  create trigger count_inserts after insert on tasks
    referencing new table as inserted for each statement execute function count_insert()`

async function connect(connectionString: string | undefined): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  // The store ends before it where the test fails.
  client.on('error', () => undefined)
  return client
}
