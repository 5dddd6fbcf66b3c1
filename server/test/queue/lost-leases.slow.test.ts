import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Lane } from '../../src/domain/task/lane.ts'
import { CrashIsolation } from '../../src/queue/crash-isolation.ts'
import { sql } from '../../src/storage/statement.ts'
import { returnLostLeases } from '../../src/storage/tables/queue-entries.ts'
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

    test(`${kind}: the entries of a process that died before the clock was set back do not wait for it`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['one', 'two'])
      // As if the clock had been an hour ahead when they were claimed.
      await claimAndDie(store, 3_600_000)
      const process = await store.start({ leaseMs: shortLeaseMs })
      const desk = createDesk()

      process.queue.openLane({ lane: 'http', slotsMax: 5, limitOf: noLimit, ...desk })
      const [piece] = await desk.untilBegun(2)

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

    test(`${kind}: a crash that was counted for a process which lives is taken back`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['one'], { jobId: 'job' })
      const { queue } = await store.start({ leaseMs: shortLeaseMs })
      const desk = createDesk()
      queue.openLane({ lane: 'http', slotsMax: 5, limitOf: noLimit, ...desk })
      await desk.untilBegun(1)

      // As if another process had heard nothing of it for the time of a lease.
      const returned = await store.db.run(returnLostLeases(store.db.nowMs() + 2 * shortLeaseMs))
      await until(async () => (await getEntry(store.db, 'one')).crashes === 0)

      assert.deepEqual(returned, [{ lane: 'http', flow: 'account-a/~job/' }])
      assert.equal((await getEntry(store.db, 'one')).flow, 'account-a/job/')
    })

    test(`${kind}: the flows of tasks say how often a process died with them, those of deliveries do not`, async (t) => {
      const store = await createQueueStore(t, kind)
      const lanes = ['browser', 'delivery', 'http'] as const
      for (const lane of lanes) {
        const concurrencyKey = `key of ${lane}`
        await insertReady(store.db, [lane], { lane, jobId: 'job', concurrencyKey })
      }

      const flows: unknown[] = []
      for (let crashes = 1; crashes <= 3; crashes++) {
        for (const lane of lanes) await crash(store, lane)
        const entries = await store.db.run(listEntries())
        flows.push(entries.map(({ flow }) => flow))
        assert.deepEqual(
          entries.map((entry) => [entry.crashes, entry.concurrency_key]),
          lanes.map((lane) => [crashes, `key of ${lane}`]),
        )
      }

      const flowsWith = (marks: string) => [
        `account-a/${marks}job/key of browser`,
        'account-a/job/key of delivery',
        `account-a/${marks}job/key of http`,
      ]
      assert.deepEqual(flows, [flowsWith('~'), flowsWith('~~'), flowsWith('')])
    })

    test(`${kind}: 64 tasks that a process died with are done in two rounds of half of the slots`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, numberedIds('suspect', 64))
      await crash(store)
      const { queue } = await store.start()
      const desk = createDesk()

      queue.openLane({ lane: 'http', slotsMax: 64, limitOf: noLimit, ...desk })
      for (let begun = 32; begun <= 64; begun += 32) {
        const round = (await desk.untilBegun(begun)).slice(begun - 32)
        const leased = (await store.db.run(listEntries())).filter(({ state }) => state === 'leased')
        assert.deepEqual([round.length, leased.length], [32, 32])
        await Promise.all(round.map(({ lease }) => lease.settle([])))
        for (const piece of round) piece.end()
      }

      assert.deepEqual(await store.db.run(listEntries()), [])
    })

    test(`${kind}: what a process died with takes no more than half of the slots from other tasks`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, numberedIds('suspect', 40))
      await crash(store)
      await insertReady(store.db, numberedIds('task', 40), { accountId: 'account-b' })
      const { queue } = await store.start()
      const desk = createDesk()

      queue.openLane({ lane: 'http', slotsMax: 16, limitOf: noLimit, ...desk })
      await desk.untilBegun(16)
      const first = desk.pieces.map(({ lease }) => lease.crashes)
      const heldAtOnce: number[] = []
      for (let done = 0; done < 80; done++) {
        await desk.untilBegun(done + 1)
        const entries = await store.db.run(listEntries())
        heldAtOnce.push(entries.filter((one) => one.state === 'leased' && one.crashes === 1).length)
        await settleAndEnd(desk.pieces[done])
      }

      assert.equal(first.filter((crashes) => crashes === 1).length, 8, 'they start at once')
      assert.equal(Math.max(...heldAtOnce), 8)
      assert.deepEqual(await store.db.run(listEntries()), [])
    })

    test(`${kind}: what a process died with runs within the limit of its account`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, numberedIds('suspect', 6), { concurrencyKey: 'account' })
      await crash(store)
      const { queue } = await store.start()
      const desk = createDesk()

      queue.openLane({ lane: 'http', slotsMax: 10, limitOf: limitedTo(2), ...desk })
      for (let begun = 2; begun <= 6; begun += 2) {
        const pieces = await desk.untilBegun(begun)
        assert.equal(pieces.length, begun)
        const leased = (await store.db.run(listEntries())).filter(({ state }) => state === 'leased')
        assert.equal(leased.length, 2)
        for (const piece of pieces.slice(-2)) await piece.lease.settle([])
        for (const piece of pieces.slice(-2)) piece.end()
      }
    })

    test(`${kind}: a task that two processes died with is not claimed before it can run alone`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['twice'])
      for (let times = 1; times <= 2; times++) await crash(store)
      await insertReady(store.db, ['fresh-1', 'fresh-2'])
      const { queue, db } = await store.start()
      const desk = createDesk()
      const isolation = new CrashIsolation()
      const lane = { lane: 'http', slotsMax: 5, isolation, limitOf: noLimit, ...desk } as const
      const producer = queue.openLane<string>(lane)
      await desk.untilBegun(2)
      await until(() => isolation.isActive)

      const pending = producer.enqueue({ id: 'fresh-3', workId: 'w', accountId: 'account-a' })
      await db.run(pending.statement)
      pending.committed('not preloaded')
      const beside = desk.ids()
      await settleAndEnd(desk.pieces[0])
      const besideOne = desk.ids()
      // If the other one took the process down now, this one would not be held.
      const { state } = await getEntry(db, 'twice')
      await settleAndEnd(desk.pieces[1])
      const [, , alone] = await desk.untilBegun(3)
      const besideNone = desk.ids()
      await settleAndEnd(alone)
      const [, , , last] = await desk.untilBegun(4)

      assert.deepEqual(beside.toSorted(), ['fresh-1', 'fresh-2'])
      assert.deepEqual(besideOne, beside)
      assert.equal(state, 'ready')
      assert.equal(besideNone.at(-1), 'twice')
      assert.equal(alone?.lease.crashes, 2)
      assert.equal(last?.lease.id, 'fresh-3')
    })

    test(`${kind}: while a task that two processes died with runs, the other task lanes are idle`, async (t) => {
      const store = await createQueueStore(t, kind)
      await insertReady(store.db, ['twice'])
      for (let times = 1; times <= 2; times++) await crash(store)
      await insertReady(store.db, ['page'], { lane: 'browser' })
      await insertReady(store.db, ['sent'], { lane: 'delivery' })
      const { queue, db } = await store.start()
      const desk = createDesk()
      const lanes = { slotsMax: 5, limitOf: noLimit, ...desk }
      const isolation = new CrashIsolation()
      queue.openLane<string>({ ...lanes, lane: 'delivery' })
      const pages = queue.openLane<string>({ ...lanes, lane: 'browser', isolation })
      await desk.untilBegun(2)
      const page = desk.pieces.find(({ lease }) => lease.id === 'page')

      queue.openLane<string>({ ...lanes, lane: 'http', isolation })
      await until(() => isolation.isActive)
      const pending = pages.enqueue({ id: 'next-page', workId: 'w', accountId: 'account-a' })
      await db.run(pending.statement)
      pending.committed('not preloaded')
      const beside = desk.ids()
      await settleAndEnd(page)
      const [, , alone] = await desk.untilBegun(3)
      const besideNone = desk.ids()
      await settleAndEnd(alone)
      const [, , , last] = await desk.untilBegun(4)

      assert.deepEqual(beside.toSorted(), ['page', 'sent'])
      assert.equal(besideNone.at(-1), 'twice')
      assert.equal(last?.lease.id, 'next-page')
    })

    const order = {
      'one after the other while they take less than a turn': {
        isolation: new CrashIsolation({ turnMs: 60_000 }),
        ids: ['fresh-1', 'twice-1', 'twice-2', 'fresh-2'],
      },
      'with a turn for others between where they take longer': {
        isolation: new CrashIsolation({ turnMs: 0 }),
        ids: ['fresh-1', 'twice-1', 'fresh-2', 'twice-2'],
      },
    }
    for (const [how, { isolation, ids }] of Object.entries(order)) {
      test(`${kind}: tasks that two processes died with run alone, ${how}`, async (t) => {
        const store = await createQueueStore(t, kind)
        await insertReady(store.db, ['twice-1', 'twice-2'])
        for (let times = 1; times <= 2; times++) await crash(store)
        await insertReady(store.db, ['fresh-1', 'fresh-2'])
        const { queue } = await store.start()
        const desk = createDesk()

        queue.openLane({ lane: 'http', slotsMax: 1, isolation, limitOf: noLimit, ...desk })
        for (let begun = 1; begun <= 4; begun++) {
          const pieces = await desk.untilBegun(begun)
          assert.equal(pieces.length, begun)
          await settleAndEnd(pieces.at(-1))
        }

        assert.deepEqual(desk.ids(), ids)
      })
    }

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

/** A process dies with all ready entries of the lane, and their leases run out. */
async function crash(store: QueueStore, lane: Lane = 'http'): Promise<void> {
  await claimAndDie(store, 1, lane)
  await store.db.run(returnLostLeases(store.db.nowMs() + 1_000))
}
