import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { sql } from '../../src/storage/statement.ts'
import { crawlPath, getCrawl, startCrawl } from '../support/crawl-calls.ts'
import { closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { serviceEnvironment, startTestService } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

test('postgres: a page that a worker begins while its crawl is cancelled counts as running', async (t) => {
  const { place } = await createTestStore(t, 'postgres')
  // Without a worker the test itself queues the page.
  const roles = { TRAWL_ROLES: 'api,delivery' }
  const environment = { ...serviceEnvironment(place), ...reachingLoopback, ...roles }
  const service = await startTestService(t, { environment })
  const account = await service.createAccount()
  const id = await startCrawl(account, { url: closedPortUrl })
  const { db } = await service.openBeside()
  const worker = new pg.Client({ connectionString: place.url })
  // If the test fails early, the store is dropped and this connection with it.
  worker.on('error', () => {})
  await worker.connect()
  t.after(() => worker.end())
  await worker.query('begin')
  await worker.query(`update tasks set crawl_host = 'host' where job_id = '${id}'`)
  await worker.query(`
    insert into queue_entries
      (id, lane, work_id, account_id, flow, state, leased_by, leased_until_ms, fence, crashes,
       started_at_ms)
    select id, 'http', id, account_id, 'flow', 'leased', 'worker', 9000000000000, 1, 0, 1
    from tasks where job_id = '${id}'`)

  const cancelling = account.call(`DELETE ${crawlPath}/${id}`)
  await until(async () => {
    const waiting = await db.run(sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    return waiting.length > 0
  })
  await worker.query('commit')
  const response = await cancelling

  assert.deepEqual([response.statusCode, response.json().in_flight_pages], [202, 1])
  const { status, pending_pages, completed_at } = await getCrawl(account, id)
  assert.deepEqual([status, pending_pages, completed_at], ['cancelled', 1, null])
  const entries = await db.run(sql<{ state: string }>`
    select state from queue_entries where work_id in (select id from tasks where job_id = ${id})`)
  assert.deepEqual(entries, [{ state: 'leased' }])
})
