/** A lane whose slots one account holds opens more of them for others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeKinds } from '../support/test-store.ts'
import {
  createDesk,
  createQueueStore,
  insertReady,
  noLimit,
  numberedIds,
  settleAndEnd,
} from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: a lane full of one account opens a quarter more slots, one for each account that has none`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 20), { accountId: 'account-a' })
    const { queue } = await store.start()
    const desk = createDesk()
    const producer = queue.openLane({ lane: 'http', slotsMax: 8, limitOf: noLimit, ...desk })
    await desk.untilBegun(8)

    for (const account of ['b', 'c', 'd']) {
      await insertReady(store.db, numberedIds(account, 3), { accountId: `account-${account}` })
    }
    producer.wake()
    await desk.untilBegun(10)
    const newcomers = desk.ids().slice(8).toSorted()
    await settleAndEnd(desk.pieces[0])
    await desk.untilBegun(11)

    assert.deepEqual(newcomers, ['b0000', 'c0000'])
    assert.equal(desk.ids()[10], 'd0000', 'the first account waits until it is below its slots')
  })

  test(`${kind}: in a full lane, a new entry of an account without a slot begins with its commit`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 4), { accountId: 'greedy' })
    const { queue, db } = await store.start()
    const desk = createDesk()
    const producer = queue.openLane({ lane: 'http', slotsMax: 4, limitOf: noLimit, ...desk })
    const begin = async (id: string, accountId: string) => {
      const pending = producer.enqueue({ id, workId: id, accountId })
      await db.run(pending.statement)
      pending.committed(id)
      return desk.ids().includes(id)
    }
    await desk.untilBegun(4)

    const begun = [
      await begin('a4', 'greedy'),
      await begin('b1', 'other'),
      await begin('b2', 'other'),
      await begin('c1', 'third'),
    ]

    assert.deepEqual(begun, [false, true, false, false])
  })
}
