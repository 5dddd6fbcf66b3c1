import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Lane } from '../../src/domain/task/lane.ts'
import { CrashIsolation } from '../../src/queue/crash-isolation.ts'
import { returnLostLeases } from '../../src/storage/queue-entries-table.ts'
import { sql } from '../../src/storage/statement.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  claimAll,
  createDesk,
  createQueueStore,
  getEntry,
  insertReady,
  limitedTo,
  listEntries,
  noLimit,
  numberedIds,
  type QueueStore,
  renewedLeaseMs,
  safeLeaseMs,
  settleAndEnd,
  shortLeaseMs,
} from './queue-process.ts'

/** The limit of the task lanes: each process runs suspected poison tasks one at a time. */
const oneSuspect = () => ({ max: 1, isGlobal: false })

// Most of these tests wait for a lease to run out, so they run concurrently.
describe('leases that are lost', { concurrency: 6 }, () => {
  for (const kind of storeKinds) {
    test(`${kind}: the entries of a dead process are claimed again once their leases run out`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['one', 'two'])
      const claimedAtMs = performance.now()
      await claimAndDie(store, shortLeaseMs)
      const process = await store.start({ leaseMs: shortLeaseMs })
      const desk = createDesk()

      process.queue.openLane({ lane: 'http', slotsMax: 5, limitOf: noLimit, ...desk })
      const [piece] = await desk.untilBegun(2)
      const waitedMs = performance.now() - claimedAtMs

      assert(waitedMs > shortLeaseMs, `returned after ${waitedMs} ms`)
      assert.equal(piece?.lease.crashes, 1)
      assert.equal(process.reclaimedCount, 2)
    })

    test(`${kind}: a renewed lease is not returned, however long the work takes`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['one'])
      const process = await store.start({ leaseMs: renewedLeaseMs })
      const desk = createDesk()
      process.queue.openLane({ lane: 'http', slotsMax: 5, limitOf: noLimit, ...desk })
      const [piece] = await desk.untilBegun(1)
      const other = await store.start({ leaseMs: renewedLeaseMs })
      const [first] = await store.db.run(leasedUntil())

      await until(
        async () =>
          ((await store.db.run(leasedUntil()))[0] ?? 0) > (first ?? 0) + 1.25 * renewedLeaseMs,
      )

      assert.equal(piece?.lease.signal.aborted, false)
      assert.equal(process.reclaimedCount + other.reclaimedCount, 0)
      assert.ok(await piece?.lease.settle([]))
    })

    test(`${kind}: after a crash tasks become suspected poison tasks, and deliveries keep their key`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['task'])
      await insertReady(store.db, ['page'], { lane: 'browser' })
      await insertReady(store.db, ['delivery'], {
        lane: 'delivery',
        concurrencyKey: 'https://a.example',
      })
      for (const lane of ['http', 'browser', 'delivery'] as const) await claimAndDie(store, 1, lane)

      await store.db.run(returnLostLeases(store.db.nowMs() + 1_000))

      const [delivery, page, task] = await store.db.run(listEntries())
      assert.equal(delivery?.concurrency_key, 'https://a.example')
      assert(page?.concurrency_key && task?.concurrency_key)
      assert.notEqual(
        page.concurrency_key,
        task.concurrency_key,
        'suspects of one lane do not wait for those of another',
      )
      assert.deepEqual([delivery?.crashes, page.crashes, task.crashes], [1, 1, 1])
    })

    test(`${kind}: suspected poison tasks run one at a time, beside other tasks`, async (t) => {
      const store = await createQueueStore(t, kind)
      const suspects = numberedIds('suspect', 4)
      await insertReady(store.db, suspects)
      await claimAndDie(store, 1)
      await store.db.run(returnLostLeases(store.db.nowMs() + 1_000))
      await insertReady(store.db, ['fresh'])
      const { queue } = await store.start()
      const desk = createDesk()

      queue.openLane({ lane: 'http', slotsMax: 10, limitOf: oneSuspect, ...desk })
      for (let begun = 2; begun <= 5; begun++) {
        await desk.untilBegun(begun)
        const states = (await store.db.run(listEntries())).filter(({ crashes }) => crashes === 1)
        assert.equal(states.filter(({ state }) => state === 'leased').length, 1)
        assert.equal(desk.pieces.length, begun, 'no other suspect has started')
        const running = desk.pieces.findLast(({ lease }) => lease.crashes === 1)
        await settleAndEnd(running)
      }

      assert.deepEqual(
        desk.ids().filter((id) => id !== 'fresh'),
        suspects,
      )
    })

    test(`${kind}: while a suspected poison task runs, no other suspect is leased`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, numberedIds('suspect', 20))
      await claimAndDie(store, 1)
      await store.db.run(returnLostLeases(store.db.nowMs() + 1_000))
      const { queue, db } = await store.start()
      const heldAtStart: number[] = []

      // If the first suspect crashes the process at once, no other may be counted as crashed.
      queue.openLane({
        lane: 'http',
        slotsMax: 20,
        limitOf: oneSuspect,
        work: async () => {
          const entries = await db.run(listEntries())
          heldAtStart.push(entries.filter(({ state }) => state === 'leased').length)
          await new Promise(() => undefined)
        },
      })
      await until(async () => heldAtStart.length > 0)

      assert.deepEqual(heldAtStart, [1])
    })

    test(`${kind}: a task that has crashed two processes runs alone in its lane`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['fresh-1', 'fresh-2'])
      const { queue, db } = await store.start()
      const desk = createDesk()
      const isolation = new CrashIsolation()
      const producer = queue.openLane<string>({
        lane: 'http',
        slotsMax: 5,
        crashesBeforeIsolation: 2,
        isolation,
        limitOf: oneSuspect,
        ...desk,
      })
      await desk.untilBegun(2)
      await insertReady(store.db, ['twice'], { accountId: 'account-b' })
      await claimAndDie(store, 1)
      await store.db.run(sql`update queue_entries set crashes = 1 where id = 'twice'`)
      await store.db.run(returnLostLeases(store.db.nowMs() + 1_000))
      producer.wake()
      // The lane knows of its lease a moment after the store does.
      await until(() => isolation.isActive)

      const pending = producer.enqueue({ id: 'fresh-3', workId: 'w', accountId: 'account-a' })
      await db.run(pending.statement)
      pending.committed('not preloaded')
      const begunBeside = desk.ids()
      await settleAndEnd(desk.pieces[0])
      const begunBesideOne = desk.ids()
      await settleAndEnd(desk.pieces[1])
      const [, , alone] = await desk.untilBegun(3)
      const begunBesideNone = desk.ids()
      await settleAndEnd(alone)
      const [, , , last] = await desk.untilBegun(4)

      assert.deepEqual(begunBeside.toSorted(), ['fresh-1', 'fresh-2'])
      assert.deepEqual(begunBesideOne.toSorted(), ['fresh-1', 'fresh-2'])
      assert.equal(begunBesideNone.at(-1), 'twice')
      assert.equal(alone?.lease.crashes, 2)
      assert.equal(last?.lease.id, 'fresh-3')
    })

    test(`${kind}: while a task that has crashed two processes runs, the other task lanes are idle`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['page'], { lane: 'browser' })
      await insertReady(store.db, ['sent'], { lane: 'delivery' })
      const { queue, db } = await store.start()
      const desk = createDesk()
      const lanes = { slotsMax: 5, crashesBeforeIsolation: 2, limitOf: oneSuspect, ...desk }
      const isolation = new CrashIsolation()
      queue.openLane<string>({ ...lanes, lane: 'delivery' })
      const pages = queue.openLane<string>({ ...lanes, lane: 'browser', isolation })
      await desk.untilBegun(2)
      const page = desk.pieces.find(({ lease }) => lease.id === 'page')
      await insertReady(store.db, ['twice'])
      await store.db.run(sql`update queue_entries set crashes = 2 where id = 'twice'`)

      queue.openLane<string>({ ...lanes, lane: 'http', isolation })
      await until(() => isolation.isActive)
      const pending = pages.enqueue({ id: 'next-page', workId: 'w', accountId: 'account-a' })
      await db.run(pending.statement)
      pending.committed('not preloaded')
      const begunBeside = desk.ids()
      await settleAndEnd(page)
      const [, , alone] = await desk.untilBegun(3)
      const begunBesideNone = desk.ids()
      await settleAndEnd(alone)
      const [, , , last] = await desk.untilBegun(4)

      assert.deepEqual(begunBeside.toSorted(), ['page', 'sent'])
      assert.equal(begunBesideNone.at(-1), 'twice')
      assert.equal(last?.lease.id, 'next-page')
    })

    test(`${kind}: two tasks that have each crashed two processes run one after the other`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['twice-1', 'twice-2'], { lane: 'delivery' })
      await store.db.run(sql`update queue_entries
        set crashes = 2, concurrency_key = id, flow = account_id || '//' || id`)
      const { queue } = await store.start()
      const desk = createDesk()

      queue.openLane({
        lane: 'delivery',
        slotsMax: 5,
        crashesBeforeIsolation: 2,
        limitOf: limitedTo(10),
        ...desk,
      })
      const [first] = await desk.untilBegun(1)
      // The two flows are claimed side by side; the response for either may come first.
      const second = first?.lease.id === 'twice-1' ? 'twice-2' : 'twice-1'
      await until(async () => (await getEntry(store.db, second)).state === 'scheduled')

      assert.equal(desk.pieces.length, 1)
      assert.equal((await getEntry(store.db, second)).crashes, 2)
    })

    test(`${kind}: an entry whose claim got no response is released and claimed again`, async (t) => {
      const store = await createQueueStore(t, kind)
      const { queue } = await store.start({ leaseMs: shortLeaseMs })
      await insertReady(store.db, ['unanswered'])
      // As if the response to a claim of this process was lost.
      await claimAll(store, { leasedBy: queue.processId, leaseMs: safeLeaseMs })
      const desk = createDesk()

      queue.openLane({ lane: 'http', slotsMax: 5, limitOf: noLimit, ...desk })
      const [piece] = await desk.untilBegun(1)

      assert.equal(piece?.lease.id, 'unanswered')
      assert.equal(piece?.lease.crashes, 0)
    })

    test(`${kind}: a process that claims an entry again after losing it keeps the new lease`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['one'])
      const process = await store.start({ leaseMs: renewedLeaseMs })
      const desk = createDesk()
      process.queue.openLane({ lane: 'http', slotsMax: 5, limitOf: noLimit, ...desk })
      const [old] = await desk.untilBegun(1)

      await store.db.run(returnLostLeases(store.db.nowMs() + 2 * renewedLeaseMs))
      const [, renewed] = await desk.untilBegun(2)
      await until(async () => old?.lease.signal.aborted === true)
      old?.end()
      const [first] = await store.db.run(leasedUntil())
      await until(
        async () => ((await store.db.run(leasedUntil()))[0] ?? 0) > (first ?? 0) + renewedLeaseMs,
      )

      assert.equal(renewed?.lease.signal.aborted, false)
      assert.equal(desk.pieces.length, 2, 'it was not released and claimed once more')
      assert.ok(await renewed?.lease.settle([]))
    })
  }
})

const leasedUntil = () =>
  sql<{ leased_until_ms: number }>`
    select leased_until_ms from queue_entries where state = 'leased'`.map(
    (row) => row.leased_until_ms,
  )

/** Leases all ready entries, as a process would that then dies. */
const claimAndDie = (store: QueueStore, leaseMs: number, lane: Lane = 'http') =>
  claimAll(store, { lane, leasedBy: 'a process that died', leaseMs })
