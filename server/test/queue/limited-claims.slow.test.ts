import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { NewEntry } from '../../src/storage/tables/queue-entries.ts'
import { type StoreKind, storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  claimAll,
  createDesk,
  createQueueStore,
  insertReady,
  limitedTo,
  listEntries,
  newEntry,
  numberedIds,
  type QueueStore,
  quick,
  safeLeaseMs,
  settleAndEnd,
  settleAtOnce,
  shortLeaseMs,
  slow,
} from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: no more entries of a key start than its limit allows, and the rest stay ready`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('d', 12), slow)
    const { queue } = await store.start()
    const desk = createDesk()

    queue.openLane({ lane: 'delivery', slotsMax: 50, limitOf: limitedTo(3), ...desk })
    await desk.untilBegun(3)
    await untilPolledTwice(store)

    assert.deepEqual(desk.ids(), numberedIds('d', 3))
    const left = await store.db.run(listEntries())
    assert.equal(left.filter(({ state }) => state === 'ready').length, 9)
    assert.ok(left.every(({ crashes }) => crashes === 0))
  })

  test(`${kind}: when an entry of a key at its limit ends, the next one starts, in order`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = numberedIds('d', 8)
    await insertReady(store.db, ids, slow)
    const { queue } = await store.start()
    const desk = createDesk()
    queue.openLane({ lane: 'delivery', slotsMax: 50, limitOf: limitedTo(2), ...desk })

    for (let begun = 2; begun <= 8; begun++) {
      await desk.untilBegun(begun)
      assert.equal(desk.pieces.length, begun)
      await settleAndEnd(desk.pieces[begun - 2])
    }
    await settleAndEnd(desk.pieces[7])

    assert.deepEqual(desk.ids(), ids)
    assert.deepEqual(await store.db.run(listEntries()), [])
  })

  test(`${kind}: a backlog of one key does not delay another`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('slow', 500), slow)
    const { queue, db } = await store.start()
    const desk = createDesk()
    const done: string[] = []
    const settle = settleAtOnce(done)
    const producer = queue.openLane<string>({
      lane: 'delivery',
      slotsMax: 20,
      limitOf: limitedTo(10),
      work: (lease, preloaded) =>
        lease.concurrencyKey === slow.concurrencyKey ? desk.work(lease, preloaded) : settle(lease),
    })
    await desk.untilBegun(10)

    const ids = numberedIds('quick', 30)
    for (const id of ids) {
      const pending = producer.enqueue(newEntry(id, quick))
      await db.run(pending.statement)
      pending.committed(id)
    }
    await until(() => done.length === ids.length)

    assert.equal(desk.pieces.length, 10)
  })

  test(`${kind}: slow work releases its slot to other keys, but not to its own`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('slow', 3), slow)
    const { queue } = await store.start()
    const desk = createDesk()
    const lane = { lane: 'delivery', slotsMax: 2, patienceMs: 200 } as const
    queue.openLane({ ...lane, limitOf: limitedTo(2), ...desk })
    await desk.untilBegun(2)

    await insertReady(store.db, numberedIds('quick', 2), quick)
    await desk.untilBegun(4)

    assert.deepEqual(desk.ids().slice(2), numberedIds('quick', 2))
  })

  test(`${kind}: an entry whose key is released early lets the next one start before it is settled`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, ['d1', 'd2'], slow)
    const { queue } = await store.start()
    const desk = createDesk()
    const limitOf = () => ({ max: 1, isGlobal: false })
    queue.openLane({ lane: 'delivery', slotsMax: 2, limitOf, ...desk })
    const [first] = await desk.untilBegun(1)

    first?.lease.releaseKey()
    await desk.untilBegun(2)
    await settleAndEnd(first)
    await settleAndEnd(desk.pieces[1])

    assert.deepEqual(desk.ids(), ['d1', 'd2'])
    assert.deepEqual(await store.db.run(listEntries()), [])
  })

  test(`${kind}: the slots of a key that a dead process held are free again`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = numberedIds('d', 3)
    await insertReady(store.db, ids, slow)
    await claimAll(store, { lane: 'delivery', leasedBy: 'a process that died', leaseMs: 1 })
    const { queue } = await store.start({ leaseMs: shortLeaseMs })
    const done: string[] = []

    const work = settleAtOnce(done)
    queue.openLane({ lane: 'delivery', slotsMax: 50, limitOf: limitedTo(1), work })
    await until(() => done.length === ids.length)

    assert.deepEqual(done, ids)
  })

  test(`${kind}: a new entry of a key at its limit waits for its turn`, async (t) => {
    const { store, db, desk, producer } = await beginAtLimit(t, kind, numberedIds('d', 70))

    const pending = producer.enqueue(newEntry('newcomer', slow))
    await db.run(pending.statement)
    pending.committed('what is preloaded is not kept')
    for (let begun = 1; begun <= 71; begun++) {
      await desk.untilBegun(begun)
      await settleAndEnd(desk.pieces[begun - 1])
    }

    assert.equal(desk.ids().at(-1), 'newcomer')
    assert.equal(desk.pieces.at(-1)?.preloaded, undefined)
    assert.deepEqual(await store.db.run(listEntries()), [])
  })

  test(`${kind}: entries of many keys never take more slots than the lane has`, async (t) => {
    const store = await createQueueStore(t, kind)
    const entries: NewEntry[] = numberedIds('https://receiver', 60).flatMap((concurrencyKey) =>
      numberedIds(`${concurrencyKey} `, 12).map((id) =>
        newEntry(id, { lane: 'delivery', concurrencyKey }),
      ),
    )
    for (const { id, ...more } of entries) await insertReady(store.db, [id], more)
    const { queue } = await store.start()
    const [done, counts] = [[] as string[], { now: 0, max: 0 }]

    queue.openLane({
      lane: 'delivery',
      slotsMax: 8,
      limitOf: limitedTo(2),
      async work(lease) {
        counts.now += 1
        counts.max = Math.max(counts.max, counts.now)
        await pause(2)
        counts.now -= 1
        await lease.settle([])
        done.push(lease.id)
      },
    })
    await until(() => done.length >= entries.length)

    assert.ok(counts.max <= 8, `${counts.max} at once`)
    assert.deepEqual(done.toSorted(), entries.map(({ id }) => id).toSorted())
    assert.deepEqual(await store.db.run(listEntries()), [])
  })
}

test('postgres: entries that other processes hold count towards a global limit', async (t) => {
  const store = await createQueueStore(t, 'postgres')
  await insertReady(store.db, ['d1', 'd2'], slow)
  await claimAll(store, { lane: 'delivery', leasedBy: 'another process', leaseMs: safeLeaseMs })
  await insertReady(store.db, numberedIds('e', 3), slow)
  const { queue } = await store.start()
  const desk = createDesk()

  queue.openLane({ lane: 'delivery', slotsMax: 50, limitOf: limitedTo(3), ...desk })
  await desk.untilBegun(1)
  await untilPolledTwice(store)

  assert.deepEqual(desk.ids(), ['e0000'])
})

test('postgres: a key has a limit for all accounts and one for each, over all processes', async (t) => {
  const store = await createQueueStore(t, 'postgres')
  const ofAccount = (accountId: string) => ({ ...slow, accountId })
  await insertReady(store.db, ['a1', 'a2'], ofAccount('a'))
  await insertReady(store.db, ['b1', 'b2'], ofAccount('b'))
  await claimAll(store, { lane: 'delivery', leasedBy: 'another process', leaseMs: safeLeaseMs })
  await insertReady(store.db, ['a3', 'a4'], ofAccount('a'))
  await insertReady(store.db, ['c1', 'c2', 'c3'], ofAccount('c'))
  const { queue } = await store.start()
  const desk = createDesk()

  const limitOf = () => ({ max: 6, accountMax: 3, isGlobal: true })
  queue.openLane({ lane: 'delivery', slotsMax: 50, limitOf, ...desk })
  await desk.untilBegun(2)
  await untilPolledTwice(store)

  assert.deepEqual(desk.ids().toSorted(), ['a3', 'c1'])
})

test('postgres: processes that claim at the same time do not exceed a global limit', async (t) => {
  const store = await createQueueStore(t, 'postgres')
  const entriesCount = 120
  await insertReady(store.db, numberedIds('d', entriesCount), slow)
  let [runningCount, mostCount, doneCount] = [0, 0, 0]

  for (const { queue } of [await store.start(), await store.start(), await store.start()]) {
    queue.openLane({
      lane: 'delivery',
      slotsMax: 50,
      limitOf: limitedTo(10),
      work: async (lease) => {
        mostCount = Math.max(mostCount, ++runningCount)
        await store.db.ping()
        runningCount--
        await lease.settle([])
        doneCount++
      },
    })
  }
  await until(() => doneCount === entriesCount)

  assert(mostCount <= 10, `${mostCount} at once`)
})

test('sqlite: a new entry does not overtake a waiting one of its flow', async (t) => {
  const { db, desk, producer } = await beginAtLimit(t, 'sqlite', ['d1', 'd2'])

  await settleAndEnd(desk.pieces[0])
  // The slot is free from the next turn of the event loop on.
  await new Promise((resolve) => process.nextTick(resolve))
  const pending = producer.enqueue(newEntry('newcomer', slow))
  await db.run(pending.statement)
  pending.committed('newcomer')
  await settleAndEnd((await desk.untilBegun(2))[1])
  await desk.untilBegun(3)

  assert.deepEqual(desk.ids(), ['d1', 'd2', 'newcomer'])
})

/** Waits until two polls have found an entry in another lane, by when all ready entries were found. */
async function untilPolledTwice(store: QueueStore): Promise<void> {
  const { queue } = await store.start()
  const done: string[] = []
  queue.openLane({ lane: 'browser', slotsMax: 1, limitOf: limitedTo(1), work: settleAtOnce(done) })
  for (const id of ['first poll', 'second poll']) {
    await insertReady(store.db, [id], { lane: 'browser' })
    await until(() => done.includes(id))
  }
}

/** Starts the first of these entries; the others wait, as their destination takes one at a time. */
async function beginAtLimit(t: TestContext, kind: StoreKind, ids: readonly string[]) {
  const store = await createQueueStore(t, kind)
  await insertReady(store.db, ids, slow)
  const { queue, db } = await store.start()
  const desk = createDesk()
  const limitOf = limitedTo(1)
  const producer = queue.openLane<string>({ lane: 'delivery', slotsMax: 50, limitOf, ...desk })
  await desk.untilBegun(1)
  return { store, db, desk, producer }
}
