/** A lane gives an account fewer slots while its work delays requests of others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeKinds } from '../support/test-store.ts'
import {
  createDesk,
  createQueueStore,
  getEntry,
  insertReady,
  newEntry,
  noLimit,
  numberedIds,
  settleAndEnd,
} from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: an account that delays others has a quarter of the slots, and all of them afterwards`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 20), { accountId: 'account-a' })
    await insertReady(store.db, numberedIds('b', 4), { accountId: 'account-b' })
    const { queue } = await store.start()
    const desk = createDesk()
    let delays = true
    const delaysOthers = (accountId: string) => delays && accountId === 'account-a'
    const lane = { lane: 'http', slotsMax: 8, limitOf: noLimit, delaysOthers } as const
    const producer = queue.openLane({ ...lane, ...desk })
    await desk.untilBegun(6)

    const whileDelaying = desk.ids().toSorted()
    delays = false
    producer.wake()
    await desk.untilBegun(8)

    assert.deepEqual(whileDelaying, [...numberedIds('a', 2), ...numberedIds('b', 4)])
    assert.deepEqual(desk.ids().slice(6), ['a0002', 'a0003'])
  })

  test(`${kind}: a new task of an account that delays others waits although slots are free`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 2))
    const { queue } = await store.start()
    const desk = createDesk()
    const lane = { lane: 'http', slotsMax: 8, limitOf: noLimit, delaysOthers: () => true } as const
    const producer = queue.openLane({ ...lane, ...desk })
    await desk.untilBegun(2)

    const added = producer.enqueue(newEntry('a0002'))
    await store.db.transaction([added.statement])
    added.committed('')
    const { state } = await getEntry(store.db, 'a0002')
    await settleAndEnd(desk.pieces[0])
    await desk.untilBegun(3)

    assert.equal(state, 'ready')
    assert.equal(desk.ids()[2], 'a0002')
  })
}
