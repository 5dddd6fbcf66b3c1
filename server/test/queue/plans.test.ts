/** Query plans: the frequent statements read only the rows they need, however many entries wait. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  countRunningTasks,
  findReady,
  listAbandonedWork,
  listReadyFlows,
  nextDueAt,
  oldestUnstarted,
} from '../../src/storage/queries/queue.ts'
import { type Statement, sql } from '../../src/storage/statement.ts'
import {
  claimEntries,
  claimEntriesWithin,
  readyDueEntries,
  removeEntry,
  removeUnwantedEntry,
  renewAwaiting,
  renewLeases,
  returnLostLeases,
  shortenAwaiting,
  shortenLeases,
  shortenPauses,
  takeBackCrashes,
} from '../../src/storage/tables/queue-entries.ts'
import { storeKinds } from '../support/test-store.ts'
import { createQueueStore, type QueueStore } from './queue-process.ts'

const nowMs = 1_000_000
const lease = { leasedBy: 'p1', leasedUntilMs: nowMs + 20_000, nowMs }
const silence = { processId: 'p2', silentUntilMs: nowMs }
const flow = 'account-7//https://7.example'
const wanted = { lane: 'http', flow, entriesMax: 32 } as const
const limit = {
  concurrencyKey: 'https://7.example',
  accountId: 'account-7',
  max: 30,
  accountMax: 10,
}

/** Each statement, and the indexes it must use. */
const statements: Record<string, { statement: Statement<unknown>; indexes: readonly RegExp[] }> = {
  claimEntries: {
    statement: claimEntries(wanted, lease, silence),
    indexes: [/queue_entries_ready\b/],
  },
  claimEntriesWithin: {
    statement: claimEntriesWithin(wanted, limit, lease, silence),
    indexes: [/queue_entries_ready\b/, /queue_entries_leased_at_key/],
  },
  findReady: { statement: findReady('http', flow), indexes: [/queue_entries_ready\b/] },
  listReadyFlows: { statement: listReadyFlows('http', ''), indexes: [/queue_entries_ready\b/] },
  oldestUnstarted: { statement: oldestUnstarted('http'), indexes: [/queue_entries_unstarted/] },
  renewLeases: { statement: renewLeases(lease), indexes: [/queue_entries_leased/] },
  renewAwaiting: {
    statement: renewAwaiting({ by: 'p1', untilMs: nowMs }),
    indexes: [/queue_entries_awaited/],
  },
  readyDueEntries: {
    statement: readyDueEntries('http', nowMs, silence),
    indexes: [/queue_entries_scheduled/],
  },
  shortenPauses: {
    statement: shortenPauses('http', { beyondMs: 2, toMs: 1 }),
    indexes: [/queue_entries_scheduled/],
  },
  nextDueAt: { statement: nextDueAt('http', silence), indexes: [/queue_entries_scheduled/] },
  takeBackCrashes: { statement: takeBackCrashes('p1'), indexes: [/queue_entries_crashed/] },
  returnLostLeases: { statement: returnLostLeases(nowMs), indexes: [/queue_entries_leased/] },
  shortenLeases: {
    statement: shortenLeases({ beyondMs: nowMs, toMs: nowMs }),
    indexes: [/queue_entries_leased/],
  },
  shortenAwaiting: {
    statement: shortenAwaiting({ notBy: 'p2', beyondMs: nowMs, toMs: nowMs }),
    indexes: [/queue_entries_awaited/],
  },
  countRunningTasks: {
    statement: countRunningTasks('account-7'),
    indexes: [/queue_entries_leased/],
  },
  listAbandonedWork: { statement: listAbandonedWork(nowMs), indexes: [/queue_entries_awaited/] },
  removeUnwantedEntry: {
    statement: removeUnwantedEntry('ready1'),
    indexes: [/queue_entries_(by_flow_)?pkey|sqlite_autoindex_queue_entries/],
  },
  removeEntry: {
    statement: removeEntry({ id: 'ready1', fence: 1, leasedBy: 'p1' }),
    indexes: [/queue_entries_(by_flow_)?pkey|sqlite_autoindex_queue_entries/],
  },
}

for (const kind of storeKinds) {
  test(`${kind}: no statement of the queue reads the whole table`, async (t) => {
    const store = await createFullStore(t, kind)

    for (const [name, { statement, indexes }] of Object.entries(statements)) {
      const plan = await explain(store, statement)
      const wholeTable = kind === 'sqlite' ? /\bSCAN (queue_entries|next)$/m : /Seq Scan/
      assert.doesNotMatch(plan, wholeTable, `${name}:\n${plan}`)
      for (const index of indexes) assert.match(plan, index, `${name}:\n${plan}`)
    }
  })
}

test('postgres: a claim reads few rows while thousands wait', async (t) => {
  const store = await createFullStore(t, 'postgres')
  const claim = claimEntries(wanted, lease, silence)

  const plan = linesOf(await store.db.run(sql<PlanLine>`explain (analyze, timing off) ${claim}`))

  const rows = [...plan.matchAll(/actual rows=(\d+)(?:\.\d+)? loops=(\d+)/g)]
  const mostRows = Math.max(...rows.map(([, count, loops]) => Number(count) * Number(loops)))
  assert(mostRows <= 100, plan)
})

/** 16,000 entries ready, fewer scheduled, a few leased; some have a caller that waits. */
async function createFullStore(t: TestContext, kind: 'sqlite' | 'postgres'): Promise<QueueStore> {
  const store = await createQueueStore(t, kind)
  await store.db.transaction([
    fill('ready', 16_000, sql`'ready', null, null, null`),
    fill('scheduled', 3_900, sql`'scheduled', 2000000 + number, null, null`),
    fill('leased', 100, sql`'leased', null, 'p' || (number % 4), 1020000`),
    sql`update queue_entries set awaited_by = 'p1', awaited_until_ms = 1020000
        where id in ('ready1', 'ready2', 'ready3')`,
    sql`analyze queue_entries`,
  ])
  return store
}

const fill = (name: string, count: number, rest: Statement<unknown>): Statement<never> => sql`
  insert into queue_entries
    (id, lane, work_id, account_id, flow, concurrency_key, fence, crashes,
     state, due_at_ms, leased_by, leased_until_ms)
  with recursive numbers (number) as (
    select 1 union all select number + 1 from numbers where number < cast(${count} as integer)
  )
  select cast(${name} as text) || number, case when number % 3 = 0 then 'delivery' else 'http' end,
    'work-' || number, 'account-' || (number % 50),
    'account-' || (number % 50) || '//https://' || (number % 200) || '.example',
    'https://' || (number % 200) || '.example', 0, 0, ${rest}
  from numbers`

async function explain({ kind, db }: QueueStore, statement: Statement<unknown>): Promise<string> {
  if (kind === 'sqlite') {
    const steps = await db.run(sql<{ detail: string }>`explain query plan ${statement}`)
    return steps.map(({ detail }) => detail).join('\n')
  }
  return linesOf(await db.run(sql<PlanLine>`explain ${statement}`))
}

interface PlanLine {
  'QUERY PLAN': string
}

const linesOf = (lines: readonly PlanLine[]): string =>
  lines.map((line) => line['QUERY PLAN']).join('\n')
