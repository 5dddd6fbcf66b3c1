import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { renewAwaiting } from '../../src/storage/tables/queue-entries.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  createDesk,
  createQueueStore,
  getEntry,
  insertReady,
  noLimit,
  type QueueStore,
  renewedLeaseMs,
  safeLeaseMs,
  shortLeaseMs,
} from './queue-process.ts'

// Most of these tests wait for a lease to run out, so they run concurrently.
describe('work that a caller waits for', { concurrency: 4 }, () => {
  for (const kind of storeKinds) {
    test(`${kind}: only work whose caller died with its process is reported as abandoned`, async (t) => {
      const store = await createQueueStore(t, kind)
      const { queue, abandoned } = await store.start({ leaseMs: shortLeaseMs })
      const alive = { by: queue.processId, untilMs: queue.awaitedUntilMs() }
      const dead = { by: 'a process that died', untilMs: store.db.nowMs() - shortLeaseMs }
      await insertReady(store.db, ['mine'], { awaited: alive })
      await insertReady(store.db, ['orphan-1', 'orphan-2'], { awaited: dead })
      await insertReady(store.db, ['nobody-waits'])

      await until(async () => abandoned.length >= 2)

      assert.deepEqual(new Set(abandoned), new Set(['work-orphan-1', 'work-orphan-2']))
    })

    test(`${kind}: work is not abandoned while the process of its caller lives`, async (t) => {
      const store = await createQueueStore(t, kind)
      const { queue, abandoned } = await store.start({ leaseMs: renewedLeaseMs })
      const other = await store.start({ leaseMs: renewedLeaseMs })
      const untilMs = queue.awaitedUntilMs()
      await insertReady(store.db, ['mine'], { awaited: { by: queue.processId, untilMs } })

      await untilAwaitedAfter(store, untilMs + 1.25 * renewedLeaseMs)

      assert.deepEqual([...abandoned, ...other.abandoned], [])
    })

    test(`${kind}: callers who waited before the clock was set back do so for one lease`, async (t) => {
      const store = await createQueueStore(t, kind)
      const { queue } = await store.start({ leaseMs: shortLeaseMs })
      const untilMs = queue.awaitedUntilMs() + 3_600_000
      await insertReady(store.db, ['orphan'], { awaited: { by: 'a process that died', untilMs } })

      const shortened = sql`
        select id from queue_entries where awaited_until_ms < ${untilMs - 3_000_000}`
      await until(async () => (await store.db.run(shortened)).length === 1)
    })

    test(`${kind}: work is put aside while the process of its caller is silent`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['silent'], { awaited: { by: 'another process', untilMs: 1 } })
      await insertReady(store.db, ['wanted'])
      const { queue } = await store.start({ leaseMs: safeLeaseMs })
      const desk = createDesk()
      queue.openLane({ lane: 'http', slotsMax: 2, limitOf: noLimit, ...desk })

      await until(async () => (await getEntry(store.db, 'silent')).state === 'scheduled')
      const { due_at_ms } = await getEntry(store.db, 'silent')
      const [piece] = await desk.untilBegun(1)
      await piece?.lease.postpone(Number(due_at_ms) + 1, [])
      piece?.end()
      await desk.untilBegun(2)

      assert.deepEqual(desk.ids(), ['wanted', 'wanted'])
      const { state, fence, crashes, started_at_ms } = await getEntry(store.db, 'silent')
      assert.deepEqual([state, fence, crashes, started_at_ms], ['scheduled', 1, 0, null])
    })

    test(`${kind}: work that was put aside is begun when the process of its caller is back`, async (t) => {
      const store = await createQueueStore(t, kind)
      const other = { by: 'another process', untilMs: store.db.nowMs() - 1 }
      await insertReady(store.db, ['one'], { awaited: other })
      const { queue, abandoned } = await store.start({ leaseMs: renewedLeaseMs })
      const desk = createDesk()
      queue.openLane({ lane: 'http', slotsMax: 1, limitOf: noLimit, ...desk })
      await until(async () => (await getEntry(store.db, 'one')).state === 'scheduled')

      await store.db.run(renewAwaiting({ ...other, untilMs: queue.awaitedUntilMs() }))
      const [piece] = await desk.untilBegun(1)

      assert.deepEqual([piece?.lease.id, piece?.lease.crashes, abandoned], ['one', 0, []])
    })

    test(`${kind}: a process without leases keeps its callers known to one that starts`, async (t) => {
      const store = await createQueueStore(t, kind)
      const { queue: api } = await store.start({ leaseMs: renewedLeaseMs })
      const awaited = { by: api.processId, untilMs: api.awaitedUntilMs() }
      await insertReady(store.db, ['before'], { awaited })
      const { queue, abandoned } = await store.start({ leaseMs: renewedLeaseMs })
      const desk = createDesk()
      queue.openLane({ lane: 'http', slotsMax: 2, limitOf: noLimit, ...desk })
      await insertReady(store.db, ['after'], {
        awaited: { by: api.processId, untilMs: api.awaitedUntilMs() },
      })

      await desk.untilBegun(2)

      assert.deepEqual([new Set(desk.ids()), abandoned], [new Set(['before', 'after']), []])
    })

    test(`${kind}: leases are renewed while ending abandoned work takes long`, async (t) => {
      const ending = Promise.withResolvers<void>()
      t.after(() => ending.resolve())
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['held'])
      const { queue } = await store.start({
        leaseMs: renewedLeaseMs,
        onAbandoned: () => ending.promise,
      })
      const desk = createDesk()
      queue.openLane({ lane: 'http', slotsMax: 1, limitOf: noLimit, ...desk })
      const [piece] = await desk.untilBegun(1)
      const untilMs = queue.awaitedUntilMs()
      await insertReady(store.db, ['orphan'], {
        awaited: { by: 'a process that died', untilMs: 1 },
      })
      await insertReady(store.db, ['mine'], { awaited: { by: queue.processId, untilMs } })

      await untilAwaitedAfter(store, untilMs + 1.25 * renewedLeaseMs)

      assert.equal(piece?.lease.signal.aborted, false)
    })

    test(`${kind}: abandoned work that cannot be ended does not keep others from being reported`, async (t) => {
      const store = await createQueueStore(t, kind)
      const reported = new Set<string>()
      await insertReady(store.db, ['orphan-1', 'orphan-2'], { awaited: { by: 'dead', untilMs: 1 } })

      await store.start({
        leaseMs: shortLeaseMs,
        onAbandoned: async (workId) => {
          reported.add(workId)
          throw new Error('A defect.')
        },
      })

      await until(async () => reported.size === 2)
    })
  }

  test('sqlite: work that an earlier process awaited is not begun, however lately it said so', async (t) => {
    const store = await createQueueStore(t, 'sqlite')
    await insertReady(store.db, ['one'], { awaited: awaitedByEarlier(store) })
    const { queue } = await store.start({ leaseMs: safeLeaseMs })
    const desk = createDesk()
    queue.openLane({ lane: 'http', slotsMax: 1, limitOf: noLimit, ...desk })

    await until(async () => (await getEntry(store.db, 'one')).state === 'scheduled')

    assert.deepEqual(desk.ids(), [])
  })

  test('sqlite: nor is it where the store could not be written to at the start', async (t) => {
    const store = await createQueueStore(t, 'sqlite')
    await insertReady(store.db, ['one'], { awaited: awaitedByEarlier(store) })
    const holder = new DatabaseSync(join(store.dataDir, 'trawl.db'))
    holder.exec('begin immediate')
    const { queue } = await store.start({ leaseMs: safeLeaseMs, db: store.db })
    // Calls are answered in their order, so the one that the start has made has failed before.
    await assert.rejects(store.db.run(renewAwaiting({ by: 'nobody', untilMs: 1 })))
    holder.close()
    const desk = createDesk()
    queue.openLane({ lane: 'http', slotsMax: 1, limitOf: noLimit, ...desk })

    await until(async () => (await getEntry(store.db, 'one')).state === 'scheduled')

    assert.deepEqual(desk.ids(), [])
  })
})

const awaitedByEarlier = ({ db }: QueueStore) => ({
  by: 'an earlier process',
  untilMs: db.nowMs() + safeLeaseMs,
})

async function untilAwaitedAfter({ db }: QueueStore, timeMs: number): Promise<void> {
  const renewed = sql`
    select id from queue_entries where id = 'mine' and awaited_until_ms > ${timeMs}`
  await until(async () => (await db.run(renewed)).length === 1)
}
