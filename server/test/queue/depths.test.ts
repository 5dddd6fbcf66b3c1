import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertParkedEntry } from '../../src/storage/queue-entries.ts'
import { countEntries } from '../../src/storage/queue-looks.ts'
import { sql } from '../../src/storage/statement.ts'
import { storeKinds } from '../support/test-store.ts'
import { createQueueStore, insertReady, newEntry } from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: whatever waits counts for its lane and its account, wherever it waits`, async (t) => {
    const { db } = await createQueueStore(t, kind)
    const parked = { ...newEntry('parked'), gate: 'account a' }
    const ofOther = { ...newEntry('of another'), accountId: 'account-b', gate: 'account b' }
    await insertReady(db, ['ready', 'waiting'])
    await db.transaction([
      insertParkedEntry(parked),
      insertParkedEntry(ofOther),
      sql`update queue_entries set state = 'waiting', due_at_ms = 1 where id = 'waiting'`,
    ])

    const counts = await db.run(countEntries())

    const totals = Object.fromEntries(
      Map.groupBy(counts, ({ lane, accountId }) => `${lane} ${accountId}`)
        .entries()
        .map(([key, rows]) => [key, rows.reduce((sum, { count }) => sum + count, 0)]),
    )
    assert.deepEqual(totals, { 'http account-a': 3, 'http account-b': 1 })
  })
}
