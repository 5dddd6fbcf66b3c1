/** A lane whose number of slots changes while it works. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeKinds } from '../support/test-store.ts'
import {
  createDesk,
  createQueueStore,
  insertReady,
  listEntries,
  noLimit,
  numberedIds,
  settleAndEnd,
} from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: after slots are added, more entries start as soon as the lane is woken`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('e', 6))
    const { queue } = await store.start()
    const desk = createDesk()
    let slots = 1
    const producer = queue.openLane({
      lane: 'http',
      slotsMax: () => slots,
      limitOf: noLimit,
      ...desk,
    })
    await desk.untilBegun(1)

    slots = 4
    producer.wake()
    await desk.untilBegun(4)

    assert.deepEqual(desk.ids(), numberedIds('e', 4))
  })

  test(`${kind}: after slots are removed, nothing is aborted and fewer entries start`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('e', 6))
    const { queue } = await store.start()
    const desk = createDesk()
    let slots = 3
    const producer = queue.openLane({
      lane: 'http',
      slotsMax: () => slots,
      limitOf: noLimit,
      ...desk,
    })
    await desk.untilBegun(3)

    slots = 1
    producer.wake()
    const areEnded = desk.pieces.map(({ lease }) => lease.signal.aborted)
    await settleAndEnd(desk.pieces[0])
    await settleAndEnd(desk.pieces[1])
    const running = (await store.db.run(listEntries())).filter(({ state }) => state === 'leased')
    await settleAndEnd(desk.pieces[2])
    await desk.untilBegun(4)

    assert.deepEqual(areEnded, [false, false, false])
    assert.equal(running.length, 1, 'two have ended and none has started')
    assert.deepEqual(desk.ids(), numberedIds('e', 4))
  })
}
