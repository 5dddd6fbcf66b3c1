/** Two processes on one PostgreSQL work on the same batches. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { batchPath } from '../support/batch-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { createCaller, createSealedStore } from '../support/sealed-store.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { until } from '../support/until.ts'

const batchCount = 8
const pageCount = 100

test('two processes end the same batches once each, without deadlocks, also while some are cancelled', async (t) => {
  const site = await startPageSite(t)
  site.page('/', '<p>page</p>')
  const receiver = await startTestReceiver(t)
  const place = await createSealedStore(t, 'postgres')
  const services = [await place.start(), await place.start()] as const
  await using store = await place.open()
  const { db } = store
  const call = await createCaller(store)

  const ids = await Promise.all(
    Array.from({ length: batchCount }, async (_, batch) => {
      const urls = Array.from({ length: pageCount }, (_, page) => site.url(`/?${batch}-${page}`))
      const body = { urls, callback_url: `${receiver.url}/${batch}` }
      const service = services[batch % 2] ?? services[0]
      return (await call(service, `POST ${batchPath}`, body)).json().job_id as string
    }),
  )
  await until(() => site.asked.length >= pageCount)
  const cancelled = await Promise.all(
    ids.slice(0, batchCount / 2).map((id) => call(services[0], `DELETE ${batchPath}/${id}`)),
  )
  await until(async () => {
    const open = await db.run(sql`select id from jobs where completed_at_ms is null`)
    return open.length === 0
  })

  for (const { statusCode } of cancelled) assert.ok([202, 409].includes(statusCode))
  const countOf = (state: string) =>
    sql`(select count(*) from tasks where tasks.job_id = jobs.id and tasks.state = ${state})`
  const miscounted = await db.run(sql`
    select id from jobs
    where open_count <> 0 or completed_count <> ${countOf('completed')}
       or cancelled_count <> ${countOf('cancelled')} or failed_count <> 0
       or (select count(*) from deliveries where deliveries.job_id = jobs.id) <> 1`)
  assert.deepEqual(miscounted, [])
  assert.deepEqual(await db.run(sql`select id from queue_entries where lane <> 'delivery'`), [])
  assert.equal(new Set(site.asked).size, site.asked.length)
  for (const batch of ids.keys()) await receiver.arrivals(1, `/${batch}`)
  assert.equal(receiver.received.length, batchCount)
  const [statistics] = await db.run(sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`)
  assert.equal(Number(statistics?.deadlocks), 0)
})
