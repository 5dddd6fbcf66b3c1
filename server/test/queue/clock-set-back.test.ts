import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { storeKinds } from '../support/test-store.ts'
import {
  createDesk,
  createQueueStore,
  insertReady,
  listEntries,
  noLimit,
  shortLeaseMs,
} from './queue-process.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const pauseMsMax = { http: 15 * minuteMs, browser: 15 * minuteMs, delivery: 24 * hourMs }

for (const kind of storeKinds) {
  test(`${kind}: after the clock was set back, what is scheduled later than any pause ends is due at once`, async (t) => {
    const store = await createQueueStore(t, kind)
    const { db } = store
    const schedule = async (lane: 'http' | 'delivery', id: string, afterMs: number) => {
      await insertReady(db, [id], { lane })
      await db.run(sql`
        update queue_entries set state = 'scheduled', due_at_ms = ${db.nowMs() + afterMs}
        where id = ${id}`)
    }
    // As if the clock had been hours ahead when the first and the last of them were scheduled.
    await schedule('http', 'task', 4 * hourMs)
    await schedule('http', 'task that pauses', 14 * minuteMs)
    await schedule('delivery', 'delivery that pauses', 23 * hourMs)
    await schedule('delivery', 'delivery', 29 * hourMs)
    const { queue } = await store.start({ leaseMs: shortLeaseMs, pauseMsMax })
    const desk = createDesk()

    for (const lane of ['http', 'delivery'] as const) {
      queue.openLane({ lane, slotsMax: 5, limitOf: noLimit, ...desk })
    }
    await desk.untilBegun(2)

    assert.deepEqual(desk.ids().toSorted(), ['delivery', 'task'])
    const scheduled = (await db.run(listEntries())).filter(({ state }) => state === 'scheduled')
    assert.deepEqual(
      scheduled.map(({ id }) => id),
      ['delivery that pauses', 'task that pauses'],
    )
  })
}
