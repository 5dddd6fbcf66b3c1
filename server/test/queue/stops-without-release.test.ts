import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { sortableId } from '../../src/runtime/sortable-id.ts'
import { readLeaseMarks } from '../../src/storage/lease-marks.ts'
import { returnLostLeases } from '../../src/storage/tables/queue-entries.ts'
import { startStallingProxy } from '../support/stalling-proxy.ts'
import { silentLog, storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  claimAll,
  createDesk,
  createQueueStore,
  getEntry,
  insertReady,
  listEntries,
  noLimit,
  type QueueStore,
  safeLeaseMs,
  shortLeaseMs,
} from './queue-process.ts'

const ids = ['one', 'two']

describe('a stop while the store is away', { concurrency: 4 }, () => {
  for (const kind of storeKinds) {
    test(`${kind}: is no crash: the next process on its data folder releases what it held`, async (t) => {
      const store = await createQueueStore(t, kind)
      await stopInOutage(t, store)
      const held = await store.db.run(listEntries())
      const desk = createDesk()

      const { queue } = await store.start({ unreleased: marksOf(store) })
      queue.openLane({ lane: 'http', slotsMax: 5, limitOf: noLimit, ...desk })
      await desk.untilBegun(2)

      assert.deepEqual(
        held.map(({ state }) => state),
        ['leased', 'leased'],
      )
      assert.deepEqual(
        desk.pieces.map(({ lease }) => lease.crashes),
        [0, 0],
      )
      await until(() => marksOf(store).processIds.length === 0)
    })

    test(`${kind}: is no crash either where another process has returned the leases before`, async (t) => {
      const store = await createQueueStore(t, kind)
      await stopInOutage(t, store)
      await store.db.run(returnLostLeases(store.db.nowMs() + 2 * safeLeaseMs))
      const counted = await getEntry(store.db, 'one')

      await store.start({ unreleased: marksOf(store) })
      await until(async () => (await getEntry(store.db, 'two')).crashes === 0)

      assert.deepEqual([counted.crashes, counted.flow], [1, 'account-a/~/'])
      const { crashes, flow } = await getEntry(store.db, 'one')
      assert.deepEqual([crashes, flow], [0, 'account-a//'])
    })
  }
})

describe('a process that is killed while it stops', { concurrency: 4 }, () => {
  for (const kind of storeKinds) {
    test(`${kind}: has not crashed: what it held runs again, unsuspected, once its leases run out`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ids)
      const processId = sortableId()
      await claimAll(store, { leasedBy: processId, leaseMs: shortLeaseMs })
      marksOf(store).stopping(processId)
      const desk = createDesk()

      const next = await store.start({ leaseMs: shortLeaseMs, unreleased: marksOf(store) })
      next.queue.openLane({ lane: 'http', slotsMax: 5, limitOf: noLimit, ...desk })
      await desk.untilBegun(2)

      assert.equal(next.reclaimedCount, 2)
      assert.deepEqual(
        desk.pieces.map(({ lease: { crashes, flow } }) => [crashes, flow]),
        [
          [0, 'account-a//'],
          [0, 'account-a//'],
        ],
      )
      await until(() => marksOf(store).stoppingIds.length === 0)
    })

    test(`${kind}: has left its mark from the moment at which it stops claiming`, async (t) => {
      const store = await createQueueStore(t, kind)
      const { queue } = await store.start({ unreleased: marksOf(store) })

      queue.stopClaiming()
      const during = marksOf(store).stoppingIds
      await queue[Symbol.asyncDispose]()

      assert.deepEqual(during, [queue.processId])
      assert.deepEqual(marksOf(store).stoppingIds, [])
    })
  }
})

const marksOf = ({ dataDir }: QueueStore) => readLeaseMarks(dataDir, silentLog)

/** A process that holds entries stops, and cannot say so to the store, which is there again afterwards. */
async function stopInOutage(t: TestContext, store: QueueStore): Promise<void> {
  await insertReady(store.db, ids)
  const { url, cutOff, heal } = await cuttable(t, store)
  const { queue } = await store.start({ url, unreleased: marksOf(store) })
  const desk = createDesk()
  queue.openLane({ lane: 'http', slotsMax: 5, limitOf: noLimit, ...desk })
  await desk.untilBegun(2)

  await cutOff()
  await queue[Symbol.asyncDispose]()
  heal()
}

/** PostgreSQL can no longer be reached from there; the file of SQLite is held by another program. */
async function cuttable(t: TestContext, store: QueueStore) {
  if (store.url === undefined) {
    const holder = new DatabaseSync(join(store.dataDir, 'trawl.db'))
    t.after(() => holder[Symbol.dispose]())
    const cutOff = async () => holder.exec('begin immediate')
    return { url: undefined, cutOff, heal: () => holder.exec('rollback') }
  }
  const url = new URL(store.url)
  const proxy = await startStallingProxy(Number(url.port))
  url.port = String(proxy.port)
  // It only closes: what a stalled connection holds back would reach the server later.
  return { url: url.href, cutOff: () => proxy[Symbol.asyncDispose](), heal: () => undefined }
}
