import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMigrations } from '../../src/storage/schema/migration.ts'
import { script, sql } from '../../src/storage/statement.ts'
import { addToDay, listDays, pruneDays, rollupSlots } from '../../src/storage/tables/day-rollups.ts'
import { createBlankStore, openTestStore, storeKinds } from '../support/test-store.ts'

const before = readMigrations()
const ownAt = before.findIndex(({ purpose }) => purpose === 'day_rollups')
const dayMs = 86_400_000
const days = { firstDay: 0, lastDay: 30_000 }

for (const kind of storeKinds) {
  test(`${kind}: the migration counts the ended tasks of an older store by account and UTC day`, async (t) => {
    const store = await createBlankStore(t, kind)
    const old = await store.open({ migrations: before.slice(0, ownAt) })
    await old.run(script(insertOldTasks))
    await old[Symbol.asyncDispose]()

    const db = await store.open()

    assert.deepEqual(await db.run(listDays({ accountId: 'ada', ...days })), [
      { utcDay: 9, completedCount: 1, failedCount: 0, durationMs: dayMs - 1, tokens: 1 },
      { utcDay: 10, completedCount: 1, failedCount: 2, durationMs: 5 + 7 + 40, tokens: 1 },
    ])
    assert.deepEqual(await db.run(listDays({ accountId: 'bob', ...days })), [
      { utcDay: 10, completedCount: 1, failedCount: 0, durationMs: 0, tokens: 1 },
    ])
  })

  test(`${kind}: what is added to any slot of a day adds up`, async (t) => {
    const db = await openTestStore(t, kind)
    await db.run(insertAccount('ada'))
    const one = { utcDay: 20_000, completedCount: 1, failedCount: 2, durationMs: 3, tokens: 4 }
    const slots = Array.from({ length: 4 * rollupSlots }, (_, index) => index % rollupSlots)

    await Promise.all(slots.map((slot) => db.run(addToDay('ada', one, slot))))

    const times = slots.length
    assert.deepEqual(await db.run(listDays({ accountId: 'ada', ...days })), [
      {
        utcDay: 20_000,
        completedCount: times,
        failedCount: 2 * times,
        durationMs: 3 * times,
        tokens: 4 * times,
      },
    ])
  })

  test(`${kind}: sums beyond 32 bits are kept, and old days are removed`, async (t) => {
    const db = await openTestStore(t, kind)
    await db.run(insertAccount('ada'))
    const huge = { completedCount: 2 ** 40, failedCount: 0, durationMs: 2 ** 50, tokens: 2 ** 40 }
    for (const utcDay of [19_998, 19_999, 20_000]) {
      await db.run(addToDay('ada', { utcDay, ...huge }, 0))
      await db.run(addToDay('ada', { utcDay, ...huge, durationMs: 1 }, 0))
    }

    await db.run(pruneDays(20_000))

    assert.deepEqual(await db.run(listDays({ accountId: 'ada', ...days })), [
      {
        utcDay: 20_000,
        completedCount: 2 ** 41,
        failedCount: 0,
        durationMs: 2 ** 50 + 1,
        tokens: 2 ** 41,
      },
    ])
  })
}

const insertAccount = (id: string) => sql`
  insert into accounts (id, username, password_hash, is_enabled, created_at_ms)
  values (${id}, ${id}, '', 1, 1)`

const taskRow = (
  id: string,
  account: string,
  state: string,
  [createdAtMs, startedAtMs, completedAtMs]: (number | null)[],
) => `
  ('${id}', '${account}', 'realtime', '', 1, '{}', '${state}', 1, '[]', ${createdAtMs},
   ${startedAtMs}, ${completedAtMs}, ${state === 'failed' ? "'TARGET_TIMEOUT'" : null})`

const tenMs = 10 * dayMs
const insertOldTasks = `
  insert into accounts (id, username, password_hash, is_enabled, created_at_ms)
    values ('ada', 'ada', '', 1, 1), ('bob', 'bob', '', 1, 1);
  insert into tasks (id, account_id, kind, url, callback_on_failure, request, state, attempts,
                     attempt_log, created_at_ms, started_at_ms, completed_at_ms, error_code)
  values ${[
    taskRow('last moment', 'ada', 'completed', [0, tenMs - dayMs, tenMs - 1]),
    taskRow('first moment', 'ada', 'completed', [0, tenMs - 5, tenMs]),
    taskRow('failed', 'ada', 'failed', [0, tenMs, tenMs + 7]),
    taskRow('never started', 'ada', 'failed', [tenMs + 10, null, tenMs + 50]),
    taskRow('cancelled', 'ada', 'cancelled', [0, null, tenMs]),
    taskRow('open', 'ada', 'open', [0, null, null]),
    taskRow('of another', 'bob', 'completed', [0, tenMs, tenMs]),
  ].join(',')};`
