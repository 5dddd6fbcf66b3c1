import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../src/storage/database.ts'
import { sql } from '../../src/storage/statement.ts'
import { extract, failureIn, submitExtraction } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const timeout = 60_000
const leftMs = 1_500

onBothStores((kind, start) => {
  test(`${kind}: a caller whose time went by in the queue is told so, and no target is blamed`, async (t) => {
    const site = await startHoldingSite(t)
    const environment = { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: '1' }
    const service = await start(t, { environment })
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    await submitExtraction(account, { url: site.url('/busy') })
    const busy = await site.untilHeld('/busy')

    const waiting = extract(account, { url: site.url('/mine'), timeout })
    await until(() => letQueuedTaskWait(db, timeout - leftMs))
    busy.answer()

    const { error } = failureIn(await waiting)
    assert.equal(error.details?.['reason'], 'EXPIRED')
    assert.match(error.message, /the service was busy/)
  })
})

/** As if the task in the queue had been accepted earlier; false if there is none. */
async function letQueuedTaskWait(db: Database, ms: number): Promise<boolean> {
  // The process reads a task from the store that it did not claim first.
  const [queued] = await db.run(sql<{ id: string }>`
    update queue_entries set fence = fence + 1 where state = 'ready' returning id`)
  if (!queued) return false
  await db.run(sql`update tasks set created_at_ms = created_at_ms - ${ms} where id = ${queued.id}`)
  return true
}
