import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import type { NewEntry } from '../../src/storage/tables/queue-entries.ts'
import { type StoreKind, storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  createDesk,
  createQueueStore,
  getEntry,
  insertReady,
  listEntries,
  loseLeases,
  noLimit,
  numberedIds,
  type Piece,
  settleAndEnd,
} from './queue-process.ts'

const note = (text: string) => sql`insert into notes (note) values (${text})`
const listNotes = () =>
  sql<{ note: string }>`select note from notes order by note`.map((row) => row.note)

for (const kind of storeKinds) {
  test(`${kind}: settling removes the entry, and writes the outcome`, async (t) => {
    const { store, piece } = await beginOne(t, kind)

    assert.ok(await piece.lease.settle([note('done')]))
    assert.deepEqual(await store.db.run(listEntries()), [])
    assert.deepEqual(await store.db.run(listNotes()), ['done'])
  })

  test(`${kind}: an entry stays leased if its outcome cannot be written`, async (t) => {
    const { store, piece } = await beginOne(t, kind)
    const unmet = sql`select note from notes where note = 'there'`.required('a note')

    await assert.rejects(piece.lease.settle([note('half'), unmet]), /a note/)

    assert.equal((await getEntry(store.db, 'one')).state, 'leased')
    assert.deepEqual(await store.db.run(listNotes()), [])
    assert.ok(await piece.lease.settle([note('whole')]))
    assert.deepEqual(await store.db.run(listNotes()), ['whole'])
  })

  test(`${kind}: what is recorded on the way is written at once, and the entry stays leased`, async (t) => {
    const { store, piece } = await beginOne(t, kind)

    assert.ok(await piece.lease.record([note('on the way')]))

    assert.equal((await getEntry(store.db, 'one')).state, 'leased')
    assert.deepEqual(await store.db.run(listNotes()), ['on the way'])
    assert.ok(await piece.lease.settle([]))
  })

  test(`${kind}: after the lease was lost nothing is written, and each write is counted as fenced`, async (t) => {
    const { store, piece, process } = await beginOne(t, kind)
    await loseLeases(store)

    const settled = await piece.lease.settle([note('too late')])
    const postponed = await piece.lease.postpone(store.db.nowMs(), [note('too late as well')])
    const recorded = await piece.lease.record([note('on the way, too late')])

    assert.deepEqual([settled, postponed, recorded], [false, false, false])
    assert.deepEqual(await store.db.run(listNotes()), [])
    assert.equal(process.fencedCount, 3)
  })

  test(`${kind}: an old lease cannot settle an entry that the same process has claimed again`, async (t) => {
    const { store, piece, desk, process } = await beginOne(t, kind)
    await loseLeases(store)
    const [, again] = await desk.untilBegun(2)

    assert.equal(await piece.lease.settle([note('first')]), false)
    assert.equal(process.fencedCount, 1)
    assert.ok(await again?.lease.settle([note('second')]))

    assert.equal(again?.lease.crashes, 1)
    assert.deepEqual(await store.db.run(listNotes()), ['second'])
  })

  test(`${kind}: a postponed entry starts again when it is due and not before`, async (t) => {
    const { store, piece, desk } = await beginOne(t, kind)
    const dueAtMs = store.db.nowMs() + 700

    await piece.lease.postpone(dueAtMs, [note('tried')])
    piece.end()
    const waiting = await getEntry(store.db, 'one')
    const [, again] = await desk.untilBegun(2)
    const lateMs = store.db.nowMs() - dueAtMs

    assert.equal(waiting.state, 'scheduled')
    assert.deepEqual(await store.db.run(listNotes()), ['tried'])
    assert(lateMs >= 0, `it came ${-lateMs} ms early`)
    assert.equal(again?.lease.startedAtMs, piece.lease.startedAtMs)
    assert.equal(again?.lease.crashes, 0)
  })

  test(`${kind}: a moved entry starts at once in the other lane, with its start and its outcome`, async (t) => {
    const { store, piece, process } = await beginOne(t, kind)
    const desk = createDesk()
    process.queue.openLane({ lane: 'browser', slotsMax: 5, limitOf: noLimit, ...desk })

    const to = { lane: 'browser', concurrencyKey: 'pages', isStarted: true } as const
    const moved = await piece.lease.move(to, [note('moved')])
    piece.end()
    const [again] = await desk.untilBegun(1)

    assert.ok(moved)
    assert.deepEqual(await store.db.run(listNotes()), ['moved'])
    assert.deepEqual(
      [again?.lease.id, again?.lease.workId, again?.lease.concurrencyKey],
      ['one', piece.lease.workId, 'pages'],
    )
    assert.match(again?.lease.flow ?? '', /^[^/]+\/\/pages$/)
    assert.deepEqual([again?.lease.startedAtMs, again?.lease.crashes], [piece.lease.startedAtMs, 0])
  })

  test(`${kind}: an entry is moved to the lane that another process works on`, async (t) => {
    const { store, piece } = await beginOne(t, kind)
    const desk = createDesk()
    const other = await store.start()
    other.queue.openLane({ lane: 'browser', slotsMax: 5, limitOf: noLimit, ...desk })

    const to = { lane: 'browser', concurrencyKey: undefined, isStarted: false } as const
    await store.db.run(sql`update queue_entries set started_at_ms = 1`)
    await piece.lease.move(to, [])
    piece.end()
    const [again] = await desk.untilBegun(1)

    assert.equal(again?.lease.id, 'one')
    assert((again?.lease.startedAtMs ?? 0) > 1, 'work that was not begun starts in the other lane')
  })

  test(`${kind}: moving after the lease was lost writes nothing, and a suspect stays one`, async (t) => {
    const { store, piece, desk, process } = await beginOne(t, kind)
    await loseLeases(store)
    const [, again] = await desk.untilBegun(2)
    const to = { lane: 'browser', concurrencyKey: 'pages', isStarted: true } as const

    assert.equal(await piece.lease.move(to, [note('first')]), false)
    assert.equal(process.fencedCount, 1)
    assert.ok(await again?.lease.move(to, [note('second')]))

    assert.deepEqual(await store.db.run(listNotes()), ['second'])
    const { lane, flow, crashes } = await getEntry(store.db, 'one')
    assert.deepEqual([lane, flow, crashes], ['browser', 'account-a/~/pages', 1])
  })

  test(`${kind}: an entry that another process postponed is claimed when it is due`, async (t) => {
    const { store, piece, process } = await beginOne(t, kind)
    const other = await store.start()
    const desk = createDesk()
    other.queue.openLane({ lane: 'http', slotsMax: 1, limitOf: noLimit, ...desk })
    process.queue.stopClaiming()

    await piece.lease.postpone(store.db.nowMs() + 300, [])
    piece.end()
    const [again] = await desk.untilBegun(1)

    assert.equal(again?.lease.id, 'one')
  })

  test(`${kind}: work that throws is retried later and holds no slot meanwhile`, async (t) => {
    const { store, piece, desk } = await beginOne(t, kind, { slotsMax: 1 })
    await insertReady(store.db, ['two'])

    piece.fail(new Error('A defect.'))
    await desk.untilBegun(2)

    assert.deepEqual(desk.ids(), ['one', 'two'])
    const botched = await getEntry(store.db, 'one')
    assert.equal(botched.state, 'scheduled')
    assert.equal(botched.crashes, 0)
    assert((botched.due_at_ms ?? 0) > store.db.nowMs())
  })

  test(`${kind}: entries that were due while all slots were taken start when slots are free`, async (t) => {
    const { store, piece, desk } = await beginOne(t, kind, { slotsMax: 1 })
    const ids = numberedIds('later', 3)
    await insertReady(store.db, ids)
    await store.db.run(
      sql`update queue_entries set state = 'scheduled', due_at_ms = ${store.db.nowMs() + 100}
          where state = 'ready'`,
    )
    await until(async () => (await getEntry(store.db, 'later0000')).state === 'ready')

    await settleAndEnd(piece)
    for (let count = 2; count <= 4; count++)
      await settleAndEnd((await desk.untilBegun(count)).at(-1))

    assert.deepEqual(desk.ids(), ['one', ...ids])
  })
}

/** Starts a process that works on the entry `one`, and creates a table for outcomes. */
async function beginOne(
  t: Parameters<typeof createQueueStore>[0],
  kind: StoreKind,
  { slotsMax = 2, ...more }: Partial<NewEntry> & { slotsMax?: number } = {},
) {
  const store = await createQueueStore(t, kind)
  await store.db.run(sql`create table notes (note text not null)`)
  await insertReady(store.db, ['one'], more)
  const process = await store.start()
  const desk = createDesk()
  process.queue.openLane<string>({ lane: 'http', slotsMax, limitOf: noLimit, ...desk })
  const [piece] = (await desk.untilBegun(1)) as [Piece]
  return { store, process, desk, piece }
}
