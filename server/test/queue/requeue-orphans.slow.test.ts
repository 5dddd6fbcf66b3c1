import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { defaultScrapeOptions } from '../../src/domain/scrape/scrape-options.ts'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import type { Database } from '../../src/storage/database.ts'
import { orphanedDeliveries, orphanedTasks } from '../../src/storage/queries/orphans.ts'
import { type Statement, script, sql } from '../../src/storage/statement.ts'
import { createAccountLimits } from '../../src/tasks/account-limits.ts'
import { OrphanSweeper } from '../../src/tasks/upkeep/requeue-orphans.ts'
import { type StoreKind, silentLog, storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import { createQueueStore, type QueueStore } from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: each orphan gets one entry from concurrent sweeps, and nothing else gets any`, async (t) => {
    const { store, sweepers } = await createSweptStore(t, kind, 3)
    await store.db.run(script(rows))

    await Promise.all(sweepers.map((sweeper) => sweeper.sweep()))
    for (const sweeper of sweepers) await sweeper.sweep()

    assert.deepEqual(await listEntries(store.db), [
      'browser t-browser ada//',
      'delivery d-callback ada//http://receiver.test',
      'delivery d-webhook-gone ada//',
      'http t-batch ada/batch/',
      'http t-crawl-queued ada/crawl/',
      'http t-single ada//',
      'http t-with-entry ada//',
    ])
  })

  test(`${kind}: a sweep finds many orphans among thousands that wait, slice by slice`, async (t) => {
    const { store, sweepers, requeued } = await createSweptStore(t, kind, 1)
    await store.db.transaction([script(account), fillTasks(2_400), fillEntries(2_400)])
    await store.db.run(sql`delete from queue_entries where id > 'task-02250' or id = 'task-00001'`)

    await sweepers[0]?.sweep()

    assert.equal((await listEntries(store.db)).length, 2_400)
    assert.equal(
      requeued.reduce((sum, count) => sum + count),
      151,
    )
  })

  test(`${kind}: the sweep reads a slice by the primary key, not the whole table`, async (t) => {
    const { store } = await createSweptStore(t, kind, 0)
    const slice = { from: 'a', before: 'b' }

    for (const [queries, index] of [
      [orphanedTasks, /tasks_pkey|sqlite_autoindex_tasks/],
      [orphanedDeliveries, /deliveries_(of_both_)?pkey|sqlite_autoindex_deliveries/],
    ] as const) {
      for (const statement of [queries.findSliceStart('b', 500), queries.list(slice, 100)]) {
        assert.match(await explain(store, statement), index)
      }
    }
  })
}

test('postgres: a task that is being settled when the sweep reaches it gets no entry', async (t) => {
  const { store, sweepers } = await createSweptStore(t, 'postgres', 1)
  await store.db.run(script(`${account}; ${insertTask('t-single')}`))
  const worker = new pg.Client({ connectionString: store.url })
  await worker.connect()
  await worker.query(`begin; update tasks set state = 'completed', completed_at_ms = 2`)

  const swept = sweepers[0]?.sweep()
  await until(async () => (await store.db.run(listWaitingForLock())).length > 0)
  await worker.query('commit')
  await worker.end()
  await swept

  assert.deepEqual(await listEntries(store.db), [])
})

async function createSweptStore(t: TestContext, kind: StoreKind, sweeperCount: number) {
  const store = await createQueueStore(t, kind)
  const requeued: number[] = []
  const sealer = createSealer({ newest: Buffer.alloc(32, 1) })
  const sweepers: OrphanSweeper[] = []
  for (let count = 0; count < sweeperCount; count++) {
    const { db, queue } = await store.start()
    const sweeper = new OrphanSweeper({
      db,
      sealer,
      log: silentLog,
      lanes: { http: queue.producerFor('http'), browser: queue.producerFor('browser') },
      deliveries: queue.producerFor('delivery'),
      accountLimits: createAccountLimits(undefined),
      onRequeued: (_kind, count) => void requeued.push(count),
    })
    sweepers.push(sweeper)
  }
  return { store, sweepers, requeued }
}

const account = `
  insert into accounts (id, username, password_hash, created_at_ms) values ('ada', 'ada', '-', 1)`

interface TaskFields {
  jobId?: string
  position?: number
  crawlHost?: string
  isEnded?: boolean
  isInBrowser?: boolean
}

// Plain text, as an earlier version stored it.
const request = { url: 'http://a.test/', timeoutMs: 1_000, forwardedHeaders: {} }
const inBrowser = { ...defaultScrapeOptions, js_render: true }

const insertTask = (
  id: string,
  { jobId, position, crawlHost, isEnded, isInBrowser }: TaskFields = {},
) => `
  insert into tasks
    (id, account_id, kind, url, callback_url, callback_on_failure, request, state, attempts,
     attempt_log, created_at_ms, completed_at_ms, job_id, position, crawl_host)
  values ('${id}', 'ada', 'callback', 'http://a.test/', 'http://receiver.test/', 0,
          '${JSON.stringify({ ...request, ...(isInBrowser && { options: inBrowser }) })}',
          '${isEnded ? 'completed' : 'open'}', 0, '[]', 1, ${isEnded ? 2 : null},
          ${textOf(jobId)}, ${position ?? null}, ${textOf(crawlHost)})`

const textOf = (text: string | undefined) => (text === undefined ? 'null' : `'${text}'`)

const insertJob = (id: string, kind: string) => `
  insert into jobs
    (id, account_id, kind, request, state, total_count, open_count, completed_count, failed_count,
     cancelled_count, tokens, retries, created_at_ms)
  values ('${id}', 'ada', '${kind}', '{}', 'open', 1, 1, 0, 0, 0, 0, 0, 1)`

const insertDelivery = (id: string, { webhookId = '', isEnded = false } = {}) => `
  insert into deliveries
    (id, account_id, task_id, webhook_id, event_type, state, attempts, schedule_step, created_at_ms,
     delivered_at_ms, ended_at_ms)
  values ('${id}', 'ada', 't-ended', ${webhookId ? `'${webhookId}', 'extract_completed'` : 'null, null'},
          '${isEnded ? 'delivered' : 'pending'}', 0, 0, 1, ${isEnded ? '2, 2' : 'null, null'})`

const rows = [
  account,
  insertJob('batch', 'batch'),
  insertJob('crawl', 'crawl'),
  insertTask('t-ended', { isEnded: true }),
  insertTask('t-single'),
  insertTask('t-browser', { isInBrowser: true }),
  insertTask('t-batch', { jobId: 'batch', position: 0 }),
  insertTask('t-crawl-unqueued', { jobId: 'crawl', position: 0 }),
  insertTask('t-crawl-queued', { jobId: 'crawl', position: 1, crawlHost: 'a.test' }),
  insertTask('t-with-entry'),
  `insert into queue_entries (id, lane, work_id, account_id, flow, state, fence, crashes)
   values ('t-with-entry', 'http', 't-with-entry', 'ada', 'ada//', 'ready', 0, 0)`,
  `insert into webhooks
     (id, account_id, url, event_type, description, is_active, created_at_ms, updated_at_ms)
   values ('paused', 'ada', 'http://receiver.test/', 'extract_completed', '', 0, 1, 1)`,
  insertDelivery('d-callback'),
  insertDelivery('d-ended', { isEnded: true }),
  insertDelivery('d-paused', { webhookId: 'paused' }),
  insertDelivery('d-webhook-gone', { webhookId: 'gone' }),
].join(';')

const numbered = (count: number) => sql`
  with recursive numbers (number) as (
    select 1 union all select number + 1 from numbers where number < cast(${count} as integer)
  )`

const idOfNumber = sql`'task-' || substr('0000' || cast(number as text), length(cast(number as text)))`

const fillTasks = (count: number): Statement<never> => sql`
  insert into tasks
    (id, account_id, kind, url, callback_on_failure, request, state, attempts, attempt_log,
     created_at_ms)
  ${numbered(count)}
  select ${idOfNumber}, 'ada', 'realtime', 'http://a.test/', 0,
         '{"url":"http://a.test/","timeoutMs":1000,"forwardedHeaders":{}}', 'open', 0, '[]', 1
  from numbers`

const fillEntries = (count: number): Statement<never> => sql`
  insert into queue_entries (id, lane, work_id, account_id, flow, state, fence, crashes)
  ${numbered(count)}
  select ${idOfNumber}, 'http', ${idOfNumber}, 'ada', 'ada//', 'ready', 0, 0
  from numbers`

async function listEntries(db: Database): Promise<string[]> {
  const found = await db.run(sql<{ lane: string; id: string; flow: string; state: string }>`
    select lane, id, flow, state from queue_entries where state = 'ready' order by lane, id`)
  return found.map(({ lane, id, flow }) => `${lane} ${id} ${flow}`)
}

const listWaitingForLock = () => sql`
  select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

async function explain({ kind, db }: QueueStore, statement: Statement<unknown>): Promise<string> {
  if (kind === 'sqlite') {
    const steps = await db.run(sql<{ detail: string }>`explain query plan ${statement}`)
    return steps.map(({ detail }) => detail).join('\n')
  }
  const [, lines] = await db.transaction([
    sql`set local enable_seqscan = off`,
    sql<Record<string, string>>`explain ${statement}`,
  ] as const)
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}
