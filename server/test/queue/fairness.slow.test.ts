import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import type { NewEntry } from '../../src/storage/tables/queue-entries.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  createDesk,
  createQueueStore,
  type Desk,
  insertReady,
  limitedTo,
  listEntries,
  noLimit,
  numberedIds,
  type QueueStore,
  settleAndEnd,
} from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: an account with few entries does not wait for the backlog of another`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 200), { accountId: 'account-a' })
    const { desk, producer } = await openLane(store, 4)
    await desk.untilBegun(4)
    const few = numberedIds('b', 5)
    await insertReady(store.db, few, { accountId: 'account-b' })
    producer.wake()

    const next = await workThrough(desk, { startedCount: 4, count: 14 })

    assert.deepEqual(
      next.filter((id) => id.startsWith('b')),
      few,
    )
    assert(next.filter((id) => id.startsWith('a')).length >= 5, 'the other is not starved')
  })

  test(`${kind}: two accounts with a backlog take turns`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 100), { accountId: 'account-a' })
    await insertReady(store.db, numberedIds('b', 100), { accountId: 'account-b' })
    await insertReady(store.db, numberedIds('c', 100), { accountId: 'account-c' })
    const { desk } = await openLane(store, 6)
    await desk.untilBegun(6)

    const next = await workThrough(desk, { startedCount: 6, count: 60 })

    for (const account of ['a', 'b', 'c']) {
      const ofAccount = next.filter((id) => id.startsWith(account)).length
      assert(ofAccount >= 15 && ofAccount <= 25, `${account} had ${ofAccount} of 60 turns`)
    }
  })

  test(`${kind}: an account's single tasks and each of its jobs take turns`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('j', 300), { jobId: 'job-1' })
    await insertReady(store.db, numberedIds('k', 300), { jobId: 'job-2' })
    const { desk, producer } = await openLane(store, 2)
    await desk.untilBegun(2)
    await insertReady(store.db, numberedIds('single', 3))
    producer.wake()

    const next = await workThrough(desk, { startedCount: 2, count: 14 })

    assert.equal(next.filter((id) => id.startsWith('single')).length, 3)
    assert(next.some((id) => id.startsWith('j')) && next.some((id) => id.startsWith('k')))
  })

  test(`${kind}: an account with many destinations does not starve one with a single destination`, async (t) => {
    const store = await createQueueStore(t, kind)
    for (const key of numberedIds('https://a', 200)) {
      await insertReady(store.db, numberedIds(`${key} `, 5), delivery('account-a', key))
    }
    const { desk, producer } = await openLane(store, 2, 'delivery')
    await desk.untilBegun(2)
    const few = numberedIds('b', 4)
    await insertReady(store.db, few, delivery('account-b', 'https://b.example'))
    producer.wake()

    const next = await workThrough(desk, { startedCount: 2, count: 12 })

    assert.deepEqual(
      next.filter((id) => id.startsWith('b')),
      few,
    )
  })

  test(`${kind}: many entries of one account that are due at once do not starve another`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 100), { accountId: 'account-a' })
    await store.db.run(sql`update queue_entries set state = 'scheduled', due_at_ms = 1`)
    const { desk, producer } = await openLane(store, 2)
    await desk.untilBegun(2)
    await insertReady(store.db, numberedIds('b', 3), { accountId: 'account-b' })
    producer.wake()

    const next = await workThrough(desk, { startedCount: 2, count: 10 })

    assert.equal(next.filter((id) => id.startsWith('b')).length, 3)
  })

  test(`${kind}: a postponed entry starts again once it is due`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, ['again'])
    const { desk } = await openLane(store, 1)
    const [first] = await desk.untilBegun(1)

    await first?.lease.postpone(store.db.nowMs() + 50, [])
    first?.end()
    const [, second] = await desk.untilBegun(2)

    assert.equal(second?.lease.id, 'again')
  })

  test(`${kind}: flows beyond the first page of a poll are found too`, async (t) => {
    const store = await createQueueStore(t, kind)
    const keys = numberedIds('https://receiver', 1_500)
    await store.db.run(sql`
      insert into queue_entries
        (id, lane, work_id, account_id, flow, concurrency_key, state, fence, crashes)
      with recursive numbers (number) as (
        select 0 union all select number + 1 from numbers where number < 1499
      )
      select 'd' || number, 'delivery', 'work', 'account-a', 'account-a//https://receiver' || number,
        'https://receiver' || number, 'ready', 0, 0
      from numbers`)
    const { queue } = await store.start()
    let doneCount = 0

    queue.openLane({
      lane: 'delivery',
      slotsMax: 64,
      limitOf: limitedTo(10),
      work: async (lease) => {
        await lease.settle([])
        doneCount += 1
      },
    })
    await until(() => doneCount === keys.length)

    assert.deepEqual(await store.db.run(listEntries()), [])
  })
}

const delivery = (accountId: string, concurrencyKey: string): Partial<NewEntry> => ({
  lane: 'delivery',
  accountId,
  concurrencyKey,
})

async function openLane(store: QueueStore, slotsMax: number, lane: NewEntry['lane'] = 'http') {
  const { queue } = await store.start()
  const desk = createDesk()
  const limitOf = lane === 'delivery' ? limitedTo(10) : noLimit
  return { desk, producer: queue.openLane<string>({ lane, slotsMax, limitOf, ...desk }) }
}

/** Ends running entries one by one until so many more have started; returns the ids of those, in order. */
async function workThrough(
  desk: Desk,
  { startedCount, count }: { startedCount: number; count: number },
): Promise<string[]> {
  for (let ended = 0; ended < count; ended += 1) {
    await settleAndEnd((await desk.untilBegun(ended + 1))[ended])
    await desk.untilBegun(startedCount + ended + 1)
  }
  return desk.ids().slice(startedCount, startedCount + count)
}
