import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimEntries, readyDueEntries, returnLostLeases } from '../../src/storage/queue-entries.ts'
import { sql } from '../../src/storage/statement.ts'
import { storeKinds } from '../support/test-store.ts'
import {
  createQueueStore,
  getEntry,
  insertReady,
  listEntries,
  numberedIds,
  type QueueStore,
} from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: whoever has few waiting passes by whoever has many`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 200), { accountId: 'account-a' })
    await claim(store, 20)
    const fewIds = numberedIds('b', 5)
    await insertReady(store.db, fewIds, { accountId: 'account-b' })

    const next = await claim(store, 11)

    assert.deepEqual(
      next.filter((id) => id.startsWith('b')),
      fewIds,
    )
    assert(next.filter((id) => id.startsWith('a')).length >= 5, 'the other is not shut out')
  })

  test(`${kind}: two who both have many take turns`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 100), { accountId: 'account-a' })
    await insertReady(store.db, numberedIds('b', 100), { accountId: 'account-b' })

    for (let round = 0; round < 5; round++) {
      const next = await claim(store, 10)
      const ofFirst = next.filter((id) => id.startsWith('a')).length
      assert(ofFirst >= 4 && ofFirst <= 6, `${ofFirst} of 10 are of the first`)
    }
  })

  test(`${kind}: what one account has waiting in one lane does not count in another`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 50))
    await insertReady(store.db, ['alone'], { lane: 'browser' })

    assert.equal((await getEntry(store.db, 'alone')).position, 1)
  })

  test(`${kind}: positions begin anew when nothing waits, and go on from the first in line`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, ['a1', 'a2', 'a3'], { accountId: 'account-a' })
    await claim(store, 2)
    await insertReady(store.db, ['b1'], { accountId: 'account-b' })
    await insertReady(store.db, ['a4'], { accountId: 'account-a' })
    const whileWaiting = await positions(store)
    await claim(store, 10)
    await insertReady(store.db, ['c1'], { accountId: 'account-c' })

    assert.deepEqual(whileWaiting, { a1: 1, a2: 2, a3: 3, b1: 4, a4: 4 })
    assert.equal((await positions(store))['c1'], 1)
  })

  test(`${kind}: what comes due is first in line`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 10))
    const [first] = await claim(store, 1)
    await store.db.run(sql`
      update queue_entries
      set state = 'waiting', due_at_ms = ${store.db.nowMs() - 1}, leased_by = null,
          leased_until_ms = null, position = 900
      where id = ${first ?? ''}`)

    const readied = await store.db.run(readyDueEntries('http', store.db.nowMs()))

    assert.deepEqual(readied, [{ id: first }])
    assert.deepEqual(await claim(store, 2), ['a0000', 'a0001'])
  })

  test(`${kind}: many of one account that come due at once do not shut out another`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, numberedIds('a', 100), { accountId: 'account-a' })
    await store.db.run(sql`update queue_entries set state = 'waiting', due_at_ms = 1`)

    await store.db.run(readyDueEntries('http', store.db.nowMs()))
    const fewIds = numberedIds('b', 3)
    await insertReady(store.db, fewIds, { accountId: 'account-b' })
    const next = await claim(store, 8)

    assert.deepEqual(
      next.filter((id) => id.startsWith('b')),
      fewIds,
    )
  })

  test(`${kind}: what comes due in an empty line leaves the numbering as it is`, async (t) => {
    const store = await createQueueStore(t, kind)
    await store.db.run(sql`
      insert into queue_entries
        (id, lane, work_id, account_id, state, position, due_at_ms, fence, crashes)
      values ('later', 'http', 'work', 'account-a', 'waiting', 7, 1, 1, 0)`)

    await store.db.run(readyDueEntries('http', store.db.nowMs()))
    await insertReady(store.db, ['new'], { accountId: 'account-a' })

    assert.deepEqual(await positions(store), { later: 0, new: 1 })
  })

  test(`${kind}: what a process that died held keeps its place`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = numberedIds('a', 6)
    await insertReady(store.db, ids)
    await claim(store, 3)

    await store.db.run(returnLostLeases(store.db.nowMs() + 120_000))

    assert.deepEqual(await claim(store, 6), ids)
  })

  test(`${kind}: entries of one transaction stand in line in the order in which they were written`, async (t) => {
    const store = await createQueueStore(t, kind)
    const ids = ['z', 'y', 'x', 'w']
    await insertReady(store.db, ids)

    const claimed: string[] = []
    for (const _ of ids) claimed.push(...(await claim(store, 1)))

    assert.deepEqual(claimed, ids)
  })
}

async function claim({ db }: QueueStore, count: number): Promise<string[]> {
  const nowMs = db.nowMs()
  const terms = { leasedBy: 'a process', leasedUntilMs: nowMs + 60_000, nowMs }
  return (await db.run(claimEntries('http', count, terms))).map(({ id }) => id).toSorted()
}

async function positions({ db }: QueueStore): Promise<Record<string, number>> {
  const entries = await db.run(listEntries())
  return Object.fromEntries(entries.map(({ id, position }) => [id, position]))
}
