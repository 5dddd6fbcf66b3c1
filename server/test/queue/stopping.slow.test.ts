import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeKinds } from '../support/test-store.ts'
import {
  createDesk,
  createQueueStore,
  insertReady,
  listEntries,
  newEntry,
  noLimit,
  numberedIds,
  settleAndEnd,
} from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: a graceful shutdown waits for running work`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, ['running', 'scheduled'])
    const { queue } = await store.start({ graceMs: 10_000 })
    const desk = createDesk()
    queue.openLane({ lane: 'http', slotsMax: 1, limitOf: noLimit, ...desk })
    const [piece] = await desk.untilBegun(1)

    let isEnded = false
    const ended = queue[Symbol.asyncDispose]().then(() => {
      isEnded = true
    })
    await store.db.ping()
    const wasEndedBefore = isEnded
    await settleAndEnd(piece)
    await ended

    assert.equal(wasEndedBefore, false)
    assert.equal(piece?.lease.signal.aborted, false)
    const left = await store.db.run(listEntries())
    assert.deepEqual(
      left.map(({ id, state }) => ({ id, state })),
      [{ id: 'scheduled', state: 'ready' }],
    )
  })

  test(`${kind}: a lane that is opened during the shutdown claims nothing`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('e', 3), { lane: 'browser' })
    const [stopping, other] = [await store.start(), await store.start()]
    const [desk, otherDesk] = [createDesk(), createDesk()]
    const lane = {
      lane: 'browser',
      slotsMax: 3,
      limitOf: noLimit,
      isAdvertised: () => true,
    } as const

    stopping.queue.stopClaiming()
    stopping.queue.openLane({ ...lane, ...desk })
    await stopping.queue[Symbol.asyncDispose]()
    const isAdvertised = await other.queue.isAdvertisedElsewhere('browser')
    other.queue.openLane({ ...lane, ...otherDesk })
    await otherDesk.untilBegun(3)

    assert.deepEqual(desk.ids(), [])
    assert.equal(isAdvertised, false)
  })

  test(`${kind}: work that outlasts the grace period is released at once and not counted as crashed`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('e', 3))
    const first = await store.start({ graceMs: 50 })
    const firstDesk = createDesk()
    first.queue.openLane({ lane: 'http', slotsMax: 3, limitOf: noLimit, ...firstDesk })
    await firstDesk.untilBegun(3)
    const second = await store.start()
    const secondDesk = createDesk()
    second.queue.openLane({ lane: 'http', slotsMax: 3, limitOf: noLimit, ...secondDesk })

    await first.queue[Symbol.asyncDispose]()
    const [taken] = await secondDesk.untilBegun(3)

    assert(firstDesk.pieces.every(({ lease }) => lease.signal.aborted))
    assert(secondDesk.pieces.every(({ lease }) => lease.crashes === 0))
    assert.equal(await firstDesk.pieces[0]?.lease.settle([]), false)
    assert.equal(taken?.lease.startedAtMs, firstDesk.pieces[0]?.lease.startedAtMs)
  })

  test(`${kind}: a shutdown during a claim starts nothing afterwards and releases all leases`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = numberedIds('e', 40)
    await insertReady(store.db, ids)
    for (let round = 0; round < 5; round++) {
      const { queue } = await store.start()
      const desk = createDesk()
      const producer = queue.openLane({ lane: 'http', slotsMax: 40, limitOf: noLimit, ...desk })
      producer.wake()
      for (let turn = 0; turn < round; turn++) await store.db.ping()

      await queue[Symbol.asyncDispose]()
      const begunCount = desk.pieces.length
      await store.db.ping()

      const entries = await store.db.run(listEntries())
      assert.equal(desk.pieces.length, begunCount, 'nothing starts after the end')
      assert.deepEqual(new Set(entries.map(({ state }) => state)), new Set(['ready']))
      assert(desk.pieces.every(({ lease }) => lease.signal.aborted))
    }
  })

  test(`${kind}: a lane that stopped claiming starts no new entries`, async (t) => {
    const store = await createQueueStore(t, kind)
    const { queue, db } = await store.start()
    const desk = createDesk()
    const producer = queue.openLane<string>({
      lane: 'http',
      slotsMax: 3,
      limitOf: noLimit,
      ...desk,
    })
    queue.stopClaiming()

    for (const id of numberedIds('e', 3)) {
      const pending = producer.enqueue(newEntry(id))
      await db.run(pending.statement)
      pending.committed(id)
    }

    assert.deepEqual(desk.ids(), [])
    const entries = await store.db.run(listEntries())
    assert(entries.every(({ state }) => state === 'ready'))
  })
}

test('postgres: other processes are notified at once of entries that a stopping process enqueues', async (t) => {
  const store = await createQueueStore(t, 'postgres')
  const [stopping, other] = [await store.start(), await store.start()]
  const producer = stopping.queue.openLane<string>({
    lane: 'http',
    slotsMax: 3,
    limitOf: noLimit,
    ...createDesk(),
  })
  const desk = createDesk()
  other.queue.openLane({ lane: 'http', slotsMax: 10, limitOf: noLimit, ...desk })
  stopping.queue.stopClaiming()
  const enter = async (id: string) => {
    const pending = producer.enqueue(newEntry(id))
    await stopping.db.run(pending.statement)
    pending.committed(id)
  }
  await enter('first')
  await desk.untilBegun(1)

  let secondCount = 0
  const seconds = setInterval(() => secondCount++, 1_000)
  t.after(() => clearInterval(seconds))
  for (let begun = 2; begun <= 9; begun++) {
    await enter(`later-${begun}`)
    await desk.untilBegun(begun)
  }

  // By polling alone the other would find one entry in a second.
  assert(secondCount < 6, `eight took ${secondCount} s`)
})
