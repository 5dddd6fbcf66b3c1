import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimEntries, type NewEntry, parkEntry } from '../../src/storage/queue-entries.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  createDesk,
  createQueueStore,
  insertReady,
  listEntries,
  newEntry,
  numberedIds,
  type QueueStore,
  roomFor,
  safeLeaseMs,
  settleAndEnd,
  settleAtOnce,
  shortLeaseMs,
} from './queue-process.ts'

const slow: Partial<NewEntry> = { lane: 'delivery', gate: 'https://slow.example' }
const quick: Partial<NewEntry> = { lane: 'delivery', gate: 'https://quick.example' }

for (const kind of storeKinds) {
  test(`${kind}: no more are begun at a gate than it has room for, and the rest is parked`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('d', 12), slow)
    const { queue } = await store.start()
    const desk = createDesk()

    queue.openLane({ lane: 'delivery', slotsMax: 50, hasRoom: roomFor(3), ...desk })
    await desk.untilBegun(3)
    await untilParked(store, 9)

    assert.deepEqual(desk.ids(), numberedIds('d', 3))
    const fresh = await store.db.run(listEntries())
    assert.deepEqual(new Set(fresh.map(({ crashes }) => crashes)), new Set([0]))
  })

  test(`${kind}: for each that leaves the gate the next one comes, in order`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = numberedIds('d', 8)
    await insertReady(store.db, ids, slow)
    const { queue } = await store.start()
    const desk = createDesk()
    queue.openLane({ lane: 'delivery', slotsMax: 50, hasRoom: roomFor(2), ...desk })

    for (let begun = 2; begun <= 8; begun++) {
      await desk.untilBegun(begun)
      await untilParked(store, 8 - begun)
      assert.equal(desk.pieces.length, begun)
      await settleAndEnd(desk.pieces[begun - 2])
    }
    await settleAndEnd(desk.pieces[7])

    assert.deepEqual(desk.ids(), ids)
    assert.deepEqual(await store.db.run(listEntries()), [])
  })

  test(`${kind}: one gate with hundreds that wait does not delay another`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('slow', 500), slow)
    const { queue, db } = await store.start()
    const desk = createDesk()
    const done: string[] = []
    const settle = settleAtOnce(done)
    const door = queue.openLane<string>({
      lane: 'delivery',
      slotsMax: 20,
      hasRoom: roomFor(10),
      work: (lease, handed) =>
        lease.gate === slow.gate ? desk.work(lease, handed) : settle(lease),
    })
    await untilParked(store, 490)

    const ids = numberedIds('quick', 30)
    const startedMs = performance.now()
    for (const id of ids) {
      const ticket = door.enter(newEntry(id, quick))
      await db.run(ticket.statement)
      ticket.committed(id)
    }
    await until(async () => done.length === ids.length, { withinMs: 5_000 })
    const tookMs = performance.now() - startedMs

    assert.equal(desk.pieces.length, 10)
    assert(tookMs < 3_000, `the quick ones took ${tookMs} ms`)
  })

  test(`${kind}: whoever takes too long gives up the slot to others, but not at the same gate`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('slow', 3), slow)
    const { queue } = await store.start()
    const desk = createDesk()
    const lane = { lane: 'delivery', slotsMax: 2, patienceMs: 200, areGatesShared: true } as const
    queue.openLane({ ...lane, hasRoom: roomFor(2), ...desk })
    await desk.untilBegun(2)

    await insertReady(store.db, numberedIds('quick', 2), quick)
    await desk.untilBegun(4)

    assert.deepEqual(desk.ids().slice(2), numberedIds('quick', 2))
  })

  test(`${kind}: what other processes have under way at the gate counts`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('d', 3), slow)
    await claimElsewhere(store, 2, safeLeaseMs)
    await insertReady(store.db, numberedIds('e', 3), slow)
    const { queue } = await store.start()
    const desk = createDesk()

    queue.openLane({ lane: 'delivery', slotsMax: 50, hasRoom: roomFor(3), ...desk })
    await desk.untilBegun(1)
    await untilParked(store, 3)

    assert.deepEqual(desk.ids(), ['d0002'])
  })

  test(`${kind}: the gate of a process that died is freed`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = numberedIds('d', 3)
    await insertReady(store.db, ids, slow)
    await claimElsewhere(store, 3, 1)
    await park(store, ['d0001', 'd0002'])
    const { queue } = await store.start({ leaseMs: shortLeaseMs })
    const done: string[] = []

    const work = settleAtOnce(done)
    queue.openLane({ lane: 'delivery', slotsMax: 50, hasRoom: roomFor(1), work })
    await until(async () => done.length === ids.length, { withinMs: 8 * shortLeaseMs })

    assert.deepEqual(done, ids)
  })

  test(`${kind}: what an earlier process parked comes one after the other, not one a sweep`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = numberedIds('d', 30)
    await insertReady(store.db, ids, slow)
    await claimElsewhere(store, 30, 1)
    await park(store, ids)
    const { queue } = await store.start({ leaseMs: shortLeaseMs })
    const done: string[] = []

    const work = settleAtOnce(done)
    queue.openLane({ lane: 'delivery', slotsMax: 50, hasRoom: roomFor(1), work })
    await until(async () => done.length === ids.length, { withinMs: 4 * shortLeaseMs })

    assert.deepEqual(done, ids)
  })
}

for (const kind of storeKinds) {
  test(`${kind}: a newcomer at a full gate is written as parked and comes when its turn is there`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('d', 70), slow)
    const { queue, db } = await store.start()
    const desk = createDesk()
    const door = queue.openLane<string>({
      lane: 'delivery',
      slotsMax: 50,
      areGatesShared: true,
      hasRoom: roomFor(1),
      ...desk,
    })
    await desk.untilBegun(1)
    await untilParked(store, kind === 'sqlite' ? 5 : 69)

    const ticket = door.enter(newEntry('newcomer', slow))
    await db.run(ticket.statement)
    const written = (await store.db.run(listEntries())).find(({ id }) => id === 'newcomer')
    ticket.committed('nothing of it is kept')
    for (let begun = 1; begun <= 71; begun++) {
      await desk.untilBegun(begun)
      await settleAndEnd(desk.pieces[begun - 1])
    }

    assert.equal(written?.state, 'parked')
    assert.equal(desk.ids().at(-1), 'newcomer')
    assert.deepEqual(await store.db.run(listEntries()), [])
  })
}

test('postgres: processes that claim at the same time do not overfill a gate they share', async (t) => {
  const store = await createQueueStore(t, 'postgres')
  const entriesCount = 120
  await insertReady(store.db, numberedIds('d', entriesCount), slow)
  let [runningCount, mostCount, doneCount] = [0, 0, 0]

  for (const { queue } of [await store.start(), await store.start(), await store.start()]) {
    queue.openLane({
      lane: 'delivery',
      slotsMax: 50,
      hasRoom: roomFor(10),
      areGatesShared: true,
      work: async (lease) => {
        mostCount = Math.max(mostCount, ++runningCount)
        await store.db.ping()
        runningCount--
        await lease.settle([])
        doneCount++
      },
    })
  }
  await until(async () => doneCount === entriesCount, { withinMs: 15_000 })

  assert(mostCount <= 10, `${mostCount} at once`)
})

test('sqlite: a newcomer is not handed past one that was parked', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  await insertReady(store.db, ['d1', 'd2'], slow)
  const { queue, db } = await store.start()
  const desk = createDesk()
  const door = queue.openLane<string>({
    lane: 'delivery',
    slotsMax: 50,
    hasRoom: roomFor(1),
    ...desk,
  })
  await desk.untilBegun(1)
  await untilParked(store, 1)

  await settleAndEnd(desk.pieces[0])
  // The slot is free from the next turn on.
  await new Promise((resolve) => process.nextTick(resolve))
  const ticket = door.enter(newEntry('newcomer', slow))
  await db.run(ticket.statement)
  ticket.committed('newcomer')
  await settleAndEnd((await desk.untilBegun(2))[1])
  await desk.untilBegun(3)

  assert.deepEqual(desk.ids(), ['d1', 'd2', 'newcomer'])
})

async function untilParked({ db }: QueueStore, count: number): Promise<void> {
  const isSo = async () =>
    (await db.run(listEntries())).filter(({ state }) => state === 'parked').length === count
  await until(isSo, { withinMs: 8_000 })
}

async function claimElsewhere({ db }: QueueStore, count: number, leaseMs: number): Promise<void> {
  const nowMs = db.nowMs()
  const terms = { leasedBy: 'another process', leasedUntilMs: nowMs + leaseMs, nowMs }
  await db.run(claimEntries('delivery', count, terms))
}

async function park({ db }: QueueStore, ids: readonly string[]): Promise<void> {
  await db.transaction(ids.map((id) => parkEntry({ id, fence: 1, leasedBy: 'another process' })))
}
