import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMigrations } from '../../src/storage/schema/migration.ts'
import { script } from '../../src/storage/statement.ts'
import { listOldestResults, sumResultBytes } from '../../src/storage/tables/results.ts'
import { createBlankStore, storeKinds } from '../support/test-store.ts'

const before = readMigrations()
const ownAt = before.findIndex(({ purpose }) => purpose === 'result_sizes')

for (const kind of storeKinds) {
  test(`${kind}: the migration gives older results their account and size`, async (t) => {
    const store = await createBlankStore(t, kind)
    const old = await store.open({ migrations: before.slice(0, ownAt) })
    await old.run(
      script(`
      insert into accounts (id, username, password_hash, is_enabled, created_at_ms)
        values ('account', 'ada', '', 1, 1);
      insert into tasks (id, account_id, kind, url, callback_on_failure, request, state, attempts,
                         attempt_log, created_at_ms, completed_at_ms)
        values ('task', 'account', 'realtime', '', 1, '{}', 'completed', 1, '[]', 1, 2);
      insert into results (task_id, facts, created_at_ms) values ('task', '{"a":1}', 2);`),
    )
    await old.run(
      script(`
      insert into blobs (owner_id, kind, bytes) values ('task', 'page', ${hex(kind, 5)});
      insert into blobs (owner_id, kind, bytes) values ('task', 'screenshot', ${hex(kind, 3)});`),
    )
    await old[Symbol.asyncDispose]()

    const db = await store.open()
    const after = { createdAtMs: 0, taskId: '' }
    const listed = await db.run(listOldestResults({ accountId: 'account', after, resultsMax: 10 }))

    assert.deepEqual(await db.run(sumResultBytes('account')), [15])
    assert.deepEqual(listed, [{ taskId: 'task', bytes: 7 + 5 + 3, createdAtMs: 2, isHeld: false }])
  })
}

/** So many bytes, as each store writes them. */
const hex = (kind: string, count: number): string =>
  kind === 'sqlite' ? `x'${'00'.repeat(count)}'` : `'\\x${'00'.repeat(count)}'`
