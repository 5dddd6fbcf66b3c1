import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { insertParkedEntry, type NewEntry } from '../../src/storage/queue-entries.ts'
import { until } from '../support/until.ts'
import {
  createDesk,
  createQueueStore,
  getEntry,
  insertReady,
  listEntries,
  newEntry,
  numberedIds,
  roomFor,
  settleAndEnd,
  shortLeaseMs,
} from './queue-process.ts'

const slow: Partial<NewEntry> = { lane: 'delivery', gate: 'https://slow.example' }

/** Where one process has the store to itself, whoever finds a gate full is kept in line in memory. */
const lane = { lane: 'delivery', slotsMax: 5, areGatesShared: true } as const

test('whoever finds the gate full is kept in line, with what was handed over, in order', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  const { queue, db } = await store.start()
  const desk = createDesk()
  const door = queue.openLane<string>({ ...lane, hasRoom: roomFor(2), ...desk })
  const ids = numberedIds('d', 6)
  for (const id of ids) {
    const ticket = door.enter(newEntry(id, slow))
    await db.run(ticket.statement)
    ticket.committed(`handed ${id}`)
  }

  for (let begun = 2; begun <= 6; begun++) {
    await desk.untilBegun(begun)
    assert.equal(desk.pieces.length, begun)
    await settleAndEnd(desk.pieces[begun - 2])
  }
  await settleAndEnd(desk.pieces[5])

  assert.deepEqual(desk.ids(), ids)
  assert.deepEqual(await store.db.run(listEntries()), [])
})

test('what is in line takes no slot from other gates', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  await insertReady(store.db, numberedIds('slow', 60), slow)
  const { queue, db } = await store.start()
  const desk = createDesk()
  const door = queue.openLane<string>({ ...lane, hasRoom: roomFor(2), ...desk })
  await desk.untilBegun(2)

  const quick = { lane: 'delivery', gate: 'https://quick.example' } as const
  const ticket = door.enter(newEntry('quick', quick))
  await db.run(ticket.statement)
  ticket.committed('now')
  await desk.untilBegun(3)

  assert.equal(desk.ids().at(-1), 'quick')
})

test('whoever finds no slot free is kept in line too, and the gates take turns', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  const { queue, db } = await store.start()
  const desk = createDesk()
  const door = queue.openLane<string>({ ...lane, slotsMax: 2, hasRoom: roomFor(2), ...desk })
  const enter = async (id: string) => {
    const ticket = door.enter(newEntry(id, { lane: 'delivery', gate: id.slice(0, 1) }))
    await db.run(ticket.statement)
    const isHeld = (await getEntry(db, id)).state === 'leased'
    ticket.committed(id)
    return isHeld
  }

  // While the lane is looking for what is ready, a newcomer has to be claimed like the others.
  for (let areHeld = false; !areHeld; ) {
    await pause(20)
    desk.pieces.length = 0
    areHeld = true
    for (const id of ['a1', 'a2', 'b1', 'b2', 'c1', 'c2']) areHeld = (await enter(id)) && areHeld
    for (let begun = 1; begun <= 6; begun++) {
      await settleAndEnd((await desk.untilBegun(begun))[begun - 1])
      await desk.untilBegun(Math.min(begun + 2, 6))
    }
  }

  const handed = desk.pieces.map((piece) => piece.handed)
  assert.deepEqual(handed, ['a1', 'a2', 'b1', 'c1', 'b2', 'c2'])
})

test('in line the accounts take turns, however many one of them has there', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  const many = newEntriesOf('account-a', 'a', 6)
  const few = newEntriesOf('account-b', 'b', 2)
  const { queue, db } = await store.start()
  const desk = createDesk()
  const door = queue.openLane<string>({ ...lane, hasRoom: roomFor(1), ...desk })

  // While the lane is looking for what is ready, a newcomer has to be claimed like the others.
  for (let areHeld = false; !areHeld; ) {
    await pause(20)
    desk.pieces.length = 0
    areHeld = true
    for (const entry of [...many, ...few]) {
      const ticket = door.enter(entry)
      await db.run(ticket.statement)
      areHeld = (await getEntry(db, entry.id)).state === 'leased' && areHeld
      ticket.committed(entry.id)
    }
    for (let begun = 1; begun <= 8; begun++) {
      await settleAndEnd((await desk.untilBegun(begun))[begun - 1])
    }
  }

  const accounts = desk.pieces.map(({ lease }) => lease.accountId.slice(-1))
  assert.equal(accounts.slice(0, 5).join(''), 'aabab')
})

const newEntriesOf = (accountId: string, prefix: string, count: number): NewEntry[] =>
  numberedIds(prefix, count).map((id) => newEntry(id, { ...slow, accountId }))

test('a line that is full sends the rest to be parked, and takes it up again', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  const ids = numberedIds('d', 150)
  await insertReady(store.db, ids, slow)
  const { queue } = await store.start()
  const done: string[] = []
  queue.openLane({
    ...lane,
    hasRoom: roomFor(2),
    async work(lease) {
      await lease.settle([])
      done.push(lease.id)
    },
  })

  await until(() => done.length === ids.length, { withinMs: 10_000 })

  assert.deepEqual(done.toSorted(), ids.toSorted())
  assert.deepEqual(await store.db.run(listEntries()), [])
})

test('what an earlier process parked at many gates never takes more slots than there are', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  const gates = numberedIds('https://receiver', 60)
  const entries = gates.flatMap((gate) =>
    numberedIds(`${gate} `, 12).map((id) => ({ ...newEntry(id), lane: 'delivery', gate }) as const),
  )
  await store.db.transaction(entries.map(insertParkedEntry))
  const { queue } = await store.start({ leaseMs: shortLeaseMs })
  const [done, counts] = [[] as string[], { now: 0, max: 0 }]

  queue.openLane({
    ...lane,
    slotsMax: 8,
    hasRoom: roomFor(2),
    async work(lease) {
      counts.now += 1
      counts.max = Math.max(counts.max, counts.now)
      await pause(2)
      await lease.settle([])
      counts.now -= 1
      done.push(lease.id)
    },
  })
  await until(() => done.length >= entries.length, { withinMs: 60_000 })

  assert.equal(counts.max, 8)
  assert.deepEqual(done.toSorted(), entries.map(({ id }) => id).toSorted())
  assert.deepEqual(await store.db.run(listEntries()), [])
})

test('whoever is in line for a slot is not shut out by many who are parked at a gate with room', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  const parked = numberedIds('many', 30).map((id) => newEntry(id, { lane: 'delivery' }))
  await store.db.transaction(parked.map((entry) => insertParkedEntry({ ...entry, gate: 'many' })))
  const { queue, db } = await store.start({ leaseMs: shortLeaseMs })
  const desk = createDesk()
  const door = queue.openLane<string>({ ...lane, slotsMax: 1, hasRoom: roomFor(2), ...desk })
  let begunCount = 0
  const endNext = async () => {
    await settleAndEnd((await desk.untilBegun(begunCount + 1))[begunCount])
    begunCount += 1
  }
  await endNext()

  // While the lane is looking for what is ready, a newcomer has to be claimed like the others.
  for (let isHeld = false; !isHeld; ) {
    await endNext()
    await desk.untilBegun(begunCount + 1)
    const entry = newEntry(`few${begunCount}`, { lane: 'delivery', gate: 'few' })
    const ticket = door.enter(entry)
    await db.run(ticket.statement)
    isHeld = (await getEntry(db, entry.id)).state === 'leased'
    ticket.committed(entry.id)
  }
  const enteredAt = begunCount
  for (let ended = 0; ended < 4; ended += 1) await endNext()
  await desk.untilBegun(begunCount + 1)

  const begunSince = desk.ids().slice(enteredAt)
  assert.ok(begunSince.includes(`few${enteredAt}`), begunSince.join())
})

test('a queue that ends gives back what is in line at once, not as crashed', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  await insertReady(store.db, numberedIds('d', 10), slow)
  const first = await store.start()
  const desk = createDesk()
  first.queue.openLane({ ...lane, hasRoom: roomFor(1), ...desk })
  await desk.untilBegun(1)
  await until(
    async () => (await store.db.run(listEntries())).every(({ state }) => state === 'leased'),
    { withinMs: 2_000 },
  )

  const [piece] = desk.pieces
  await settleAndEnd(piece)
  await first.queue[Symbol.asyncDispose]()

  const left = await store.db.run(listEntries())
  assert.ok(left.length >= 8)
  assert.ok(left.every(({ state, crashes }) => state === 'ready' && crashes === 0))
})
