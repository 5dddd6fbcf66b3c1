import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  createDesk,
  createQueueStore,
  insertReady,
  listEntries,
  newEntry,
  noLimit,
  numberedIds,
  type Piece,
  settleAndEnd,
  settleAtOnce,
} from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: two processes that claim at the same time run every entry exactly once`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = numberedIds('e', 400)
    await insertReady(store.db, ids)
    const done: string[] = []

    for (const process of [await store.start(), await store.start()]) {
      process.queue.openLane({
        lane: 'http',
        slotsMax: 40,
        limitOf: noLimit,
        work: settleAtOnce(done),
      })
    }
    await until(async () => done.length >= ids.length)
    await until(async () => (await store.db.run(listEntries())).length === 0)

    assert.deepEqual(done.toSorted(), ids)
  })

  test(`${kind}: an entry enqueued while a slot is free starts at once, without a claim`, async (t) => {
    const store = await createQueueStore(t, kind)
    const { queue, db } = await store.start()
    const desk = createDesk()
    const producer = queue.openLane<string>({
      lane: 'http',
      slotsMax: 2,
      limitOf: noLimit,
      ...desk,
    })
    const enter = async (id: string): Promise<Piece | undefined> => {
      const pending = producer.enqueue(newEntry(id))
      await db.run(pending.statement)
      pending.committed(id)
      return (await desk.untilBegun(desk.pieces.length + (desk.ids().includes(id) ? 0 : 1))).at(-1)
    }
    // The lane's first poll has to be over.
    for (let piece = await enter('e0'); piece?.preloaded === undefined; ) {
      await settleAndEnd(piece)
      piece = await enter(`e${desk.pieces.length}`)
    }
    await settleAndEnd(desk.pieces.at(-1))

    const pending = producer.enqueue(newEntry('leased'))
    await db.run(pending.statement)
    const [written] = await store.db.run(listEntries())
    const begunBefore = desk.pieces.length
    pending.committed('the task')

    const piece = desk.pieces.at(-1)
    assert.equal(desk.pieces.length, begunBefore + 1, 'it starts at once')
    assert.equal(piece?.preloaded, 'the task')
    assert.equal(piece?.lease.id, 'leased')
    assert.equal(piece?.lease.workId, 'work-leased')
    assert.equal(written?.state, 'leased')
    assert.equal(written?.leased_by, queue.processId)
    assert.equal(written?.fence, 1)
  })

  test(`${kind}: an entry enqueued while all slots are taken is claimed when one is free`, async (t) => {
    const store = await createQueueStore(t, kind)
    const { queue, db } = await store.start()
    const desk = createDesk()
    const producer = queue.openLane<string>({
      lane: 'http',
      slotsMax: 1,
      limitOf: noLimit,
      ...desk,
    })
    const enter = async (id: string) => {
      const pending = producer.enqueue(newEntry(id))
      await db.run(pending.statement)
      pending.committed(id)
    }
    await enter('first')
    const [first] = await desk.untilBegun(1)

    await enter('second')
    await enter('third')
    const waiting = (await store.db.run(listEntries())).filter(({ state }) => state === 'ready')
    await settleAndEnd(first)
    const [, second] = await desk.untilBegun(2)
    await settleAndEnd(second)
    await desk.untilBegun(3)

    assert.deepEqual(
      waiting.map(({ id }) => id),
      ['second', 'third'],
    )
    assert.deepEqual(desk.ids(), ['first', 'second', 'third'])
    assert.equal(second?.preloaded, undefined)
  })

  test(`${kind}: a failed transaction leaves no entry and frees its slot`, async (t) => {
    const store = await createQueueStore(t, kind)
    const { queue, db } = await store.start()
    const desk = createDesk()
    const producer = queue.openLane<string>({
      lane: 'http',
      slotsMax: 1,
      limitOf: noLimit,
      ...desk,
    })

    for (const id of numberedIds('failed', 5)) {
      const pending = producer.enqueue(newEntry(id))
      const unmet = sql`select id from queue_entries where id = 'nobody'`.required('somebody')
      await assert.rejects(db.transaction([pending.statement, unmet]))
      pending.withdrawn()
    }
    assert.deepEqual(await store.db.run(listEntries()), [])
    const pending = producer.enqueue(newEntry('kept'))
    await db.run(pending.statement)
    pending.committed('kept')
    await desk.untilBegun(1)

    assert.deepEqual(desk.ids(), ['kept'])
  })

  test(`${kind}: an entry for a lane of another process runs there`, async (t) => {
    const store = await createQueueStore(t, kind)
    const [api, worker] = [await store.start(), await store.start()]
    const desk = createDesk()
    worker.queue.openLane<string>({ lane: 'http', slotsMax: 3, limitOf: noLimit, ...desk })
    const producer = api.queue.producerFor('http')

    const pending = producer.enqueue(newEntry('single'))
    await api.db.transaction([
      pending.statement,
      producer.enqueueReady(newEntry('many-1')),
      producer.enqueueReady(newEntry('many-2')),
    ])
    producer.wake()
    await desk.untilBegun(3)

    assert.deepEqual(desk.ids().toSorted(), ['many-1', 'many-2', 'single'])
  })

  test(`${kind}: the entries of a flow start oldest first, however they are claimed`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = numberedIds('e', 40)
    await insertReady(store.db, ids.toReversed())
    const { queue } = await store.start()
    const desk = createDesk()

    queue.openLane<string>({ lane: 'http', slotsMax: 50, limitOf: noLimit, ...desk })
    await desk.untilBegun(ids.length)

    assert.deepEqual(desk.ids(), ids)
  })

  test(`${kind}: an entry that is enqueued twice is stored once`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, ['one'])
    await insertReady(store.db, ['one', 'two'])

    const entries = await store.db.run(listEntries())

    assert.deepEqual(
      entries.map(({ id }) => id),
      ['one', 'two'],
    )
  })
}

for (const kind of storeKinds) {
  test(`${kind}: aborting work aborts the signal of its lease and no other`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, ['wanted', 'unwanted'])
    const { queue } = await store.start()
    const desk = createDesk()
    queue.openLane<string>({ lane: 'http', slotsMax: 2, limitOf: noLimit, ...desk })
    await desk.untilBegun(2)

    queue.abortWork('work-unwanted')

    const isAborted = Object.fromEntries(
      desk.pieces.map(({ lease }) => [lease.id, lease.signal.aborted]),
    )
    assert.deepEqual(isAborted, { wanted: false, unwanted: true })
  })
}
