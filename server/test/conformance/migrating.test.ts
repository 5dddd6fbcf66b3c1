import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import type { Database } from '../../src/storage/database.ts'
import { readMigrations } from '../../src/storage/schema/migration.ts'
import { script, sql } from '../../src/storage/statement.ts'
import { createBlankStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const migrations = readMigrations()

/** What a process of the earlier version writes in one transaction. */
const inFlight = {
  queue_flows: `
    insert into queue_entries
      (id, lane, work_id, account_id, state, position, fence, crashes)
    values ('in flight', 'http', 'in flight', 'ada', 'ready', 1, 0, 0)`,
  jobs: `
    update deliveries set state = 'delivered', attempts = 1, delivered_at_ms = 2, ended_at_ms = 2;
    insert into delivery_attempts (delivery_id, number, started_at_ms, duration_ms)
    values ('delivery', 1, 1, 1)`,
}

test('postgres: an entry that an older process commits while its table is migrated is kept', async (t) => {
  const db = await migrateBesideTransaction(t, 'queue_flows')

  assert.deepEqual(await db.run(sql`select id, flow from queue_entries`), [
    { id: 'in flight', flow: 'ada//' },
  ])
})

test('postgres: an attempt that an older process commits while deliveries are migrated is kept', async (t) => {
  const db = await migrateBesideTransaction(t, 'jobs')

  assert.deepEqual(
    await db.run(sql`
      select state, number from deliveries join delivery_attempts on delivery_id = deliveries.id`),
    [{ state: 'delivered', number: 1 }],
  )
})

/** Migrates while a transaction of an older process is open, which commits once the migration waits for it. */
async function migrateBesideTransaction(
  t: TestContext,
  purpose: keyof typeof inFlight,
): Promise<Database> {
  const ownAt = migrations.findIndex((migration) => migration.purpose === purpose)
  const store = await createBlankStore(t, 'postgres')
  const db = await store.open({ migrations: migrations.slice(0, ownAt) })
  await db.run(script(olderRows))
  const older = new pg.Client({ connectionString: store.place.url })
  await older.connect()
  await older.query(`begin; ${inFlight[purpose]}`)

  const migrating = store.open({ migrations: migrations.slice(0, ownAt + 1) })
  await until(async () => (await db.run(listWaitingForLock())).length > 0)
  await older.query('commit')
  await older.end()
  return await migrating
}

const olderRows = `
  insert into accounts (id, username, password_hash, created_at_ms) values ('ada', 'ada', '-', 1);
  insert into tasks
    (id, account_id, kind, url, callback_on_failure, request, state, attempts, attempt_log,
     created_at_ms)
  values ('task', 'ada', 'realtime', 'http://a.test/', 0, '{}', 'open', 0, '[]', 1);
  insert into deliveries
    (id, account_id, task_id, state, attempts, schedule_step, created_at_ms)
  values ('delivery', 'ada', 'task', 'pending', 0, 0, 1)`

const listWaitingForLock = () => sql`
  select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`
