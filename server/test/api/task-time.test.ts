/** The time limit of a task counts the work on it, not what happened to the service meanwhile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../src/storage/database.ts'
import { sql } from '../../src/storage/statement.ts'
import { returnLostLeases } from '../../src/storage/tables/queue-entries.ts'
import { submitExtraction, untilEnded } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const hourMs = 3_600_000

onBothStores((kind, start) => {
  test(`${kind}: what happens to the service costs a page none of its time`, async (t) => {
    const site = await startHoldingSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const { db } = await service.openBeside()

    await t.test('a page whose process died an hour after it began is fetched again', async () => {
      const id = await submitExtraction(account, { url: site.url('/died'), timeout: 10_000 })
      await site.untilHeld('/died')

      await beganEarlier(db, id)
      await db.run(returnLostLeases(db.nowMs() + hourMs))
      ;(await site.untilHeld('/died', 2)).answer()

      const { status, error } = await untilEnded(account, id)
      assert.deepEqual([status, error], ['completed', null])
    })

    await t.test('a page that is open for more than a day ends as expired', async () => {
      const id = await submitExtraction(account, { url: site.url('/old') })
      await site.untilHeld('/old')

      await db.run(
        sql`update tasks set created_at_ms = created_at_ms - ${24 * hourMs} where id = ${id}`,
      )
      await db.run(returnLostLeases(db.nowMs() + hourMs))

      const { status, error } = await untilEnded(account, id)
      assert.deepEqual([status, error?.details?.['reason']], ['failed', 'EXPIRED'])
      assert.match(error?.message ?? '', /not finished within 24 hours/)
      assert.equal(site.heldAt('/old').length, 1)
    })

    await t.test('a page that waited an hour for its next attempt is tried again', async () => {
      const id = await submitExtraction(account, { url: site.url('/waited'), timeout: 10_000 })
      const first = await site.untilHeld('/waited')
      await beganEarlier(db, id)

      first.answer(503, { 'retry-after': '2' })
      await until(async () => (await stateOf(db, id)) === 'scheduled')
      await db.run(sql`update queue_entries set due_at_ms = 1 where id = ${id}`)
      ;(await site.untilHeld('/waited', 2)).answer()

      const { status, error } = await untilEnded(account, id)
      assert.deepEqual([status, error], ['completed', null])
    })
  })
})

const beganEarlier = (db: Database, id: string) =>
  db.run(sql`update queue_entries set started_at_ms = started_at_ms - ${hourMs} where id = ${id}`)

async function stateOf(db: Database, id: string): Promise<string | undefined> {
  const [entry] = await db.run(sql<{ state: string }>`
    select state from queue_entries where id = ${id}`)
  return entry?.state
}
