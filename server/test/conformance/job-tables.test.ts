import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMigrations } from '../../src/storage/schema/migration.ts'
import { script, sql } from '../../src/storage/statement.ts'
import { listWaiting, waitForHost } from '../../src/storage/tables/crawl-waits.ts'
import { stopOpenJob } from '../../src/storage/tables/jobs.ts'
import { deleteUnheldResult, listOldestResults } from '../../src/storage/tables/results.ts'
import { createBlankStore, openTestStore, storeKinds } from '../support/test-store.ts'

const before = readMigrations()
const ownAt = before.findIndex(({ purpose }) => purpose === 'jobs')

for (const kind of storeKinds) {
  test(`${kind}: deliveries and their attempts in a store from before jobs are kept`, async (t) => {
    const store = await createBlankStore(t, kind)
    const old = await store.open({ migrations: before.slice(0, ownAt) })
    await old.run(script(insertOldRows))
    const deliveriesBefore = await old.run(listDeliveries())
    const attemptsBefore = await old.run(listAttempts())
    await old[Symbol.asyncDispose]()

    const db = await store.open()

    assert.equal(deliveriesBefore.length, 3)
    assert.equal(attemptsBefore.length, 2)
    assert.deepEqual(await db.run(listDeliveries()), deliveriesBefore)
    assert.deepEqual(await db.run(listAttempts()), attemptsBefore)
    assert.deepEqual(await db.run(sql`select id, job_id, position from tasks order by id`), [
      { id: 'task-1', job_id: null, position: null },
      { id: 'task-2', job_id: null, position: null },
    ])
    await db.run(sql`delete from tasks where id = 'task-1'`)
    assert.deepEqual(await db.run(sql`select id from deliveries`), [{ id: 'pending' }])
    assert.deepEqual(await db.run(listAttempts()), [])
  })

  test(`${kind}: a delivery is about a task or a job, and goes with it`, async (t) => {
    const db = await openTestStore(t, kind)
    await db.run(script(insertAccount))
    await db.run(script(insertJobRows))

    await assert.rejects(() => db.run(insertDelivery('neither', null, null)))
    await assert.rejects(() => db.run(insertDelivery('both', 'page', 'job')))
    await db.run(insertDelivery('event', null, 'job'))
    await db.run(sql`delete from jobs where id = 'job'`)

    assert.deepEqual(await db.run(sql`select id from deliveries`), [])
    assert.deepEqual(await db.run(sql`select id from tasks`), [])
  })

  test(`${kind}: the result of a page is not evicted while its job runs`, async (t) => {
    const db = await openTestStore(t, kind)
    await db.run(script(insertAccount))
    await db.run(script(insertJobRows))
    await db.run(sql`
      insert into results (task_id, account_id, facts, bytes, created_at_ms)
      values ('page', 'ada', '', 1, 1)`)
    const heldNow = async () => {
      const after = { createdAtMs: -1, taskId: '' }
      const listed = await db.run(listOldestResults({ accountId: 'ada', after, resultsMax: 9 }))
      return listed.map(({ isHeld }) => isHeld)
    }

    await db.run(deleteUnheldResult('page'))
    assert.deepEqual(await heldNow(), [true])
    await db.run(sql`
      update jobs
      set state = 'completed', completed_at_ms = 2, open_count = 0, completed_count = 1`)
    assert.deepEqual(await heldNow(), [false])
    await db.run(deleteUnheldResult('page'))
    assert.deepEqual(await heldNow(), [])
  })

  test(`${kind}: a cancelled crawl does not hold its turn at a host`, async (t) => {
    const db = await openTestStore(t, kind)
    await db.run(script(insertAccount))
    await db.run(script(insertJobRows))
    await db.run(waitForHost({ host: 'a.test', jobId: 'job', nowMs: 1 }))
    const before = await db.run(listWaiting('a.test', 1))

    await db.run(stopOpenJob({ id: 'job', accountId: 'ada', state: 'cancelled' }))

    assert.deepEqual(before, [{ id: 'job', accountId: 'ada' }])
    assert.deepEqual(await db.run(listWaiting('a.test', 1)), [])
  })

  test(`${kind}: counts of a job that do not add up are refused`, async (t) => {
    const db = await openTestStore(t, kind)
    await db.run(script(insertAccount))
    await db.run(script(insertJobRows))
    for (const change of [
      sql`update jobs set open_count = 2`,
      sql`update jobs set open_count = -1, completed_count = 2`,
      sql`update jobs set state = 'open', completed_at_ms = 1`,
    ]) {
      await assert.rejects(() => db.run(change))
    }
    await db.run(sql`update jobs set open_count = 0, completed_count = 1`)
  })
}

const insertAccount = `
  insert into accounts (id, username, password_hash, created_at_ms) values ('ada', 'ada', '', 1)`

const insertOldRows = `${insertAccount};
  insert into tasks
    (id, account_id, kind, url, callback_url, callback_on_failure, request, state, attempts,
     attempt_log, created_at_ms, completed_at_ms)
  values
    ('task-1', 'ada', 'callback', 'http://a.test/', 'http://b.test/', 1, '{}', 'completed', 1, '[]',
     1, 2),
    ('task-2', 'ada', 'callback', 'http://a.test/', 'http://b.test/', 1, '{}', 'completed', 1, '[]',
     1, 2);
  insert into deliveries
    (id, account_id, task_id, webhook_id, event_type, state, attempts, schedule_step,
     next_attempt_at_ms, last_status_code, last_error, created_at_ms, delivered_at_ms, ended_at_ms)
  values
    ('delivered', 'ada', 'task-1', null, null, 'delivered', 2, 2, null, 200, null, 3, 4, 5),
    ('failed', 'ada', 'task-1', 'hook', 'extract_completed', 'failed', 12, 12, null, null,
     'no response', 3, null, 6),
    ('pending', 'ada', 'task-2', null, null, 'pending', 0, 0, 7, null, null, 3, null, null);
  insert into delivery_attempts
    (delivery_id, number, started_at_ms, duration_ms, status_code, error, answer_excerpt)
  values
    ('delivered', 1, 3, 10, 500, null, 'an excerpt'),
    ('delivered', 2, 4, 20, 200, null, null)`

const insertJobRows = `
  insert into jobs
    (id, account_id, kind, request, state, total_count, open_count, completed_count, failed_count,
     cancelled_count, tokens, retries, created_at_ms)
  values ('job', 'ada', 'batch', '{}', 'open', 1, 1, 0, 0, 0, 0, 0, 1);
  insert into tasks
    (id, account_id, kind, url, callback_on_failure, request, state, attempts, attempt_log,
     created_at_ms, job_id, position)
  values ('page', 'ada', 'realtime', 'http://a.test/', 0, '{}', 'open', 0, '[]', 1, 'job', 0)`

const insertDelivery = (id: string, taskId: string | null, jobId: string | null) => sql`
  insert into deliveries
    (id, account_id, task_id, job_id, job_end, state, attempts, schedule_step, created_at_ms,
     ended_at_ms)
  values (${id}, 'ada', ${taskId}, ${jobId}, ${jobId && 'completed'}, 'skipped', 0, 0, 1, 1)`

const listDeliveries = () => sql`
  select id, account_id, task_id, webhook_id, event_type, state, attempts, schedule_step,
         next_attempt_at_ms, last_status_code, last_error, created_at_ms, delivered_at_ms, ended_at_ms
  from deliveries order by id`

const listAttempts = () => sql`
  select delivery_id, number, started_at_ms, duration_ms, status_code, error, answer_excerpt
  from delivery_attempts order by delivery_id, number`
