import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import {
  createDesk,
  createQueueStore,
  insertReady,
  limitedTo,
  listEntries,
  newEntry,
  numberedIds,
  type QueueStore,
  quick,
  settleAndEnd,
  slow,
} from './queue-process.ts'

const countLeased = async ({ db }: QueueStore): Promise<number> =>
  (await db.run(listEntries())).filter(({ state }) => state === 'leased').length

test('sqlite: prefetched entries of a key wait without a slot and start in order', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  await insertReady(store.db, numberedIds('slow', 8), slow)
  const { queue } = await store.start()
  const desk = createDesk()
  queue.openLane({ lane: 'delivery', slotsMax: 4, prefetchMax: 4, limitOf: limitedTo(2), ...desk })
  await until(async () => (await countLeased(store)) === 6)
  const begunOfKey = desk.ids()

  await insertReady(store.db, numberedIds('quick', 2), quick)
  await desk.untilBegun(4)
  await settleAndEnd(desk.pieces[0])
  await desk.untilBegun(5)

  assert.deepEqual(begunOfKey, numberedIds('slow', 2))
  assert.deepEqual(desk.ids().slice(2, 4), numberedIds('quick', 2))
  assert.equal(desk.ids()[4], 'slow0002')
})

test('sqlite: prefetched entries are ready again once they are released', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  await insertReady(store.db, numberedIds('d', 5), slow)
  const { queue } = await store.start()
  const desk = createDesk()
  const lane = { lane: 'delivery', slotsMax: 4, prefetchMax: 4 } as const
  const producer = queue.openLane({ ...lane, limitOf: limitedTo(1), ...desk })
  await until(async () => (await countLeased(store)) === 5)

  // Otherwise they would be claimed again at once.
  queue.stopClaiming()
  await producer.releasePrefetched(slow.concurrencyKey)
  await queue[Symbol.asyncDispose]()

  const left = await store.db.run(listEntries())
  assert.deepEqual(desk.ids(), ['d0000'])
  assert.deepEqual([...new Set(left.map(({ state }) => state))], ['ready'])
  assert.ok(left.every(({ crashes }) => crashes === 0))
})

test('sqlite: preloaded data is kept while its entry waits for a slot', async (t) => {
  const store = await createQueueStore(t, 'sqlite')
  const { queue, db } = await store.start()
  const desk = createDesk()
  const lane = { lane: 'delivery', slotsMax: 4, preloadedBytes: () => 1 } as const
  const producer = queue.openLane<string>({ ...lane, limitOf: limitedTo(1), ...desk })

  for (const id of ['d1', 'd2']) {
    const pending = producer.enqueue(newEntry(id, slow))
    await db.run(pending.statement)
    pending.committed(`body of ${id}`)
  }
  await desk.untilBegun(1)
  await settleAndEnd(desk.pieces[0])
  await desk.untilBegun(2)

  assert.deepEqual(
    desk.pieces.map(({ preloaded }) => preloaded),
    ['body of d1', 'body of d2'],
  )
})
