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
  numberedIds,
  type Piece,
  roomForAll,
  settleAndEnd,
  settleAtOnce,
} from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: two processes that claim at the same time work on every entry once`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = numberedIds('e', 400)
    await insertReady(store.db, ids)
    const done: string[] = []

    for (const process of [await store.start(), await store.start()]) {
      process.queue.openLane({
        lane: 'http',
        slotsMax: 40,
        hasRoom: roomForAll,
        work: settleAtOnce(done),
      })
    }
    await until(async () => done.length >= ids.length, { withinMs: 20_000 })
    await until(async () => (await store.db.run(listEntries())).length === 0, { withinMs: 5_000 })

    assert.deepEqual(done.toSorted(), ids)
  })

  test(`${kind}: what enters while a slot is idle is handed over without being claimed`, async (t) => {
    const store = await createQueueStore(t, kind)
    const { queue, db } = await store.start()
    const desk = createDesk()
    const door = queue.openLane<string>({
      lane: 'http',
      slotsMax: 2,
      hasRoom: roomForAll,
      ...desk,
    })
    const enter = async (id: string): Promise<Piece | undefined> => {
      const ticket = door.enter(newEntry(id))
      await db.run(ticket.statement)
      ticket.committed(id)
      return (await desk.untilBegun(desk.pieces.length + (desk.ids().includes(id) ? 0 : 1))).at(-1)
    }
    // The lane's own first look has to be over.
    for (let piece = await enter('e0'); piece?.handed === undefined; ) {
      await settleAndEnd(piece)
      piece = await enter(`e${desk.pieces.length}`)
    }
    await settleAndEnd(desk.pieces.at(-1))

    const ticket = door.enter(newEntry('handed'))
    await db.run(ticket.statement)
    const [written] = await store.db.run(listEntries())
    const begunBefore = desk.pieces.length
    ticket.committed('the task')

    const piece = desk.pieces.at(-1)
    assert.equal(desk.pieces.length, begunBefore + 1, 'it is begun at once')
    assert.equal(piece?.handed, 'the task')
    assert.equal(piece?.lease.id, 'handed')
    assert.equal(piece?.lease.workId, 'work-handed')
    assert.equal(written?.state, 'leased')
    assert.equal(written?.leased_by, queue.processId)
    assert.equal(written?.fence, 1)
  })

  test(`${kind}: what enters while all slots are taken is claimed when one is free`, async (t) => {
    const store = await createQueueStore(t, kind)
    const { queue, db } = await store.start()
    const desk = createDesk()
    const door = queue.openLane<string>({ lane: 'http', slotsMax: 1, hasRoom: roomForAll, ...desk })
    const enter = async (id: string) => {
      const ticket = door.enter(newEntry(id))
      await db.run(ticket.statement)
      ticket.committed(id)
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
    assert.equal(second?.handed, undefined)
  })

  test(`${kind}: a transaction that failed leaves nothing, and its slot is free again`, async (t) => {
    const store = await createQueueStore(t, kind)
    const { queue, db } = await store.start()
    const desk = createDesk()
    const door = queue.openLane<string>({ lane: 'http', slotsMax: 1, hasRoom: roomForAll, ...desk })

    for (const id of numberedIds('failed', 5)) {
      const ticket = door.enter(newEntry(id))
      const unmet = sql`select id from queue_entries where id = 'nobody'`.required('somebody')
      await assert.rejects(db.transaction([ticket.statement, unmet]))
      ticket.withdrawn()
    }
    assert.deepEqual(await store.db.run(listEntries()), [])
    const ticket = door.enter(newEntry('kept'))
    await db.run(ticket.statement)
    ticket.committed('kept')
    await desk.untilBegun(1)

    assert.deepEqual(desk.ids(), ['kept'])
  })

  test(`${kind}: what is entered for a lane of another process is worked on there`, async (t) => {
    const store = await createQueueStore(t, kind)
    const [api, worker] = [await store.start(), await store.start()]
    const desk = createDesk()
    worker.queue.openLane<string>({ lane: 'http', slotsMax: 3, hasRoom: roomForAll, ...desk })
    const door = api.queue.doorTo('http')

    const ticket = door.enter(newEntry('single'))
    await api.db.transaction([
      ticket.statement,
      door.enterReady(newEntry('many-1')),
      door.enterReady(newEntry('many-2')),
    ])
    door.wake()
    await desk.untilBegun(3)

    assert.deepEqual(desk.ids().toSorted(), ['many-1', 'many-2', 'single'])
  })

  test(`${kind}: entries are begun in the order of their positions, not of their ids`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = ['k', 'd', 'z', 'a', 'm']
    await insertReady(store.db, ids)
    const { queue } = await store.start()
    const desk = createDesk()

    queue.openLane<string>({ lane: 'http', slotsMax: 10, hasRoom: roomForAll, ...desk })
    await desk.untilBegun(ids.length)

    assert.deepEqual(desk.ids(), ids)
  })

  test(`${kind}: an entry that is entered twice is there once`, async (t) => {
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
  test(`${kind}: work on a thing that nobody wants any more is told to end`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, ['wanted', 'unwanted'])
    const { queue } = await store.start()
    const desk = createDesk()
    queue.openLane<string>({ lane: 'http', slotsMax: 2, hasRoom: roomForAll, ...desk })
    await desk.untilBegun(2)

    queue.loseWork('work-unwanted')

    const isAborted = Object.fromEntries(
      desk.pieces.map(({ lease }) => [lease.id, lease.signal.aborted]),
    )
    assert.deepEqual(isAborted, { wanted: false, unwanted: true })
  })
}
