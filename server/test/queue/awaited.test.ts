import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  createDesk,
  createQueueStore,
  insertReady,
  noLimit,
  type QueueStore,
  renewedLeaseMs,
  shortLeaseMs,
} from './queue-process.ts'

// Most of these tests wait for a lease to run out, so they run concurrently.
describe('work that a caller waits for', { concurrency: 4 }, () => {
  for (const kind of storeKinds) {
    test(`${kind}: only work whose caller died with its process is reported as abandoned`, async (t) => {
      const store = await createQueueStore(t, kind)
      const { queue, abandoned } = await store.start({ leaseMs: shortLeaseMs })
      const alive = { by: queue.processId, untilMs: queue.awaitedUntilMs() }
      const dead = { by: 'a process that died', untilMs: queue.awaitedUntilMs() }
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
})

async function untilAwaitedAfter({ db }: QueueStore, timeMs: number): Promise<void> {
  const renewed = sql`
    select id from queue_entries where id = 'mine' and awaited_until_ms > ${timeMs}`
  await until(async () => (await db.run(renewed)).length === 1)
}
