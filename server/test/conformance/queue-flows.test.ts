import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMigrations } from '../../src/storage/schema/migration.ts'
import { script, sql } from '../../src/storage/statement.ts'
import { claimEntries } from '../../src/storage/tables/queue-entries.ts'
import { createBlankStore, storeKinds } from '../support/test-store.ts'

const before = readMigrations()
const ownAt = before.findIndex(({ purpose }) => purpose === 'queue_flows')
const receiver = 'https://receiver.test/hooks'

for (const kind of storeKinds) {
  test(`${kind}: entries of every state in a store from before flows are kept`, async (t) => {
    const store = await createBlankStore(t, kind)
    const old = await store.open({ migrations: before.slice(0, ownAt) })
    await old.run(script(insertOldEntries))
    const [countBefore] = await old.run(countEntries())
    await old[Symbol.asyncDispose]()

    const db = await store.open()

    assert.deepEqual(await db.run(countEntries()), [countBefore])
    assert.deepEqual(await db.run(listEntries()), [
      kept('a-ready', { lane: 'http', flow: 'ada//', state: 'ready', fence: 0 }),
      kept('b-scheduled', { flow: `ada//${receiver}`, state: 'scheduled', due_at_ms: 70 }),
      kept('c-blocked', { flow: `ada//${receiver}`, state: 'ready', fence: 0 }),
      kept('d-leased', {
        flow: `bob//${receiver}`,
        state: 'leased',
        leased_by: 'process',
        leased_until_ms: 80,
        started_at_ms: 60,
      }),
      kept('e-suspect', {
        lane: 'browser',
        flow: 'bob/~/',
        state: 'ready',
        crashes: 1,
        started_at_ms: 60,
      }),
      kept('f-awaited', {
        lane: 'http',
        flow: 'bob//',
        state: 'ready',
        fence: 0,
        awaited_by: 'process',
        awaited_until_ms: 90,
      }),
    ])
  })

  test(`${kind}: what was blocked on a limit before flows is claimed by its flow`, async (t) => {
    const store = await createBlankStore(t, kind)
    const old = await store.open({ migrations: before.slice(0, ownAt) })
    await old.run(script(insertOldEntries))
    await old[Symbol.asyncDispose]()

    const db = await store.open()
    const claimed = await db.run(
      claimEntries(
        { lane: 'delivery', flow: `ada//${receiver}`, entriesMax: 10 },
        { leasedBy: 'other', leasedUntilMs: 200, nowMs: 100 },
        { processId: 'other', silentUntilMs: 100 },
      ),
    )

    assert.deepEqual(
      claimed.map(({ workId, concurrencyKey, fence }) => ({ workId, concurrencyKey, fence })),
      [{ workId: 'work of c-blocked', concurrencyKey: receiver, fence: 1 }],
    )
  })
}

interface EntryRow {
  [column: string]: string | number | null
}

const insertOldEntries = `
  insert into queue_entries
    (id, lane, work_id, account_id, state, position, due_at_ms, gate, leased_by, leased_until_ms,
     fence, crashes, started_at_ms, awaited_by, awaited_until_ms)
  values
    ('a-ready', 'http', 'work of a-ready', 'ada', 'ready', 1, null, null, null, null, 0, 0, null,
     null, null),
    ('b-scheduled', 'delivery', 'work of b-scheduled', 'ada', 'waiting', 2, 70, '${receiver}', null,
     null, 1, 0, null, null, null),
    ('c-blocked', 'delivery', 'work of c-blocked', 'ada', 'parked', 3, null, '${receiver}', null,
     null, 0, 0, null, null, null),
    ('d-leased', 'delivery', 'work of d-leased', 'bob', 'leased', 4, null, '${receiver}', 'process',
     80, 1, 0, 60, null, null),
    ('e-suspect', 'browser', 'work of e-suspect', 'bob', 'parked', 5, null, 'suspects browser',
     null, null, 1, 1, 60, null, null),
    ('f-awaited', 'http', 'work of f-awaited', 'bob', 'ready', 6, null, null, null, null, 0, 0,
     null, 'process', 90)`

const countEntries = () => sql<{ total: number }>`select count(*) as total from queue_entries`

const listEntries = () => sql<EntryRow>`
  select id, lane, work_id, account_id, flow, concurrency_key, state, due_at_ms, leased_by,
         leased_until_ms, fence, crashes, started_at_ms, awaited_by, awaited_until_ms
  from queue_entries order by id`

/** A row as it is after the migration; what is not given is as most rows have it. */
function kept(id: string, given: { flow: string; state: string } & EntryRow): EntryRow {
  const [accountId = '', , ...key] = given.flow.split('/')
  return {
    id,
    lane: 'delivery',
    work_id: `work of ${id}`,
    account_id: accountId,
    concurrency_key: key.join('/') || null,
    due_at_ms: null,
    leased_by: null,
    leased_until_ms: null,
    fence: 1,
    crashes: 0,
    started_at_ms: null,
    awaited_by: null,
    awaited_until_ms: null,
    ...given,
  }
}
