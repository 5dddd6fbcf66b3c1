import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crashPoints } from '../../src/runtime/crash-point.ts'
import { sql } from '../../src/storage/statement.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, storeKinds } from '../support/test-store.ts'
import { runLedger } from './ledger/run-ledger.ts'

const seed = Number(process.env['LEDGER_SEED'] ?? Date.now() % 1_000_000)

for (const kind of storeKinds) {
  test(`${kind}: no accepted task is lost while the service is killed again and again`, async (t) => {
    t.diagnostic(`replay: LEDGER_SEED=${seed} npm test -- server/test/faults/ledger.slow.test.ts`)
    const { place, open } = await createTestStore(t, kind)
    const db = await open()

    const report = await runLedger({
      seed,
      environment: serviceEnvironment(place),
      db,
      tasksMin: 200,
      pauseMs: 300,
      randomKills: 2,
      killEveryMs: 500,
      crashRounds: 1,
      isAtRest: async () => (await db.run(sql`select id from queue_entries`)).length === 0,
    })

    t.diagnostic(JSON.stringify(report))
    assert.deepEqual(report.lost, [])
    assert.deepEqual(report.unexpected, [])
    assert.deepEqual(report.faulty, [])
    assert.deepEqual(report.unexplained, [])
    assert.deepEqual(report.renamed, [])
    assert.deepEqual(report.failed, [])
    assert.deepEqual(report.crashedAt, [...crashPoints])
    assert.deepEqual(await db.run(sql`select id from queue_entries`), [])
    assert.deepEqual(await db.run(sql`select id from tasks where state = 'open'`), [])
    assert.deepEqual(
      await db.run(sql`
        select tasks.id from tasks
        where (select count(*) from deliveries
               where task_id = tasks.id and state = 'delivered') <> 1`),
      [],
    )
    assert.deepEqual(await db.run(countedInStatistics()), await db.run(ended()))
  })
}

const countedInStatistics = () => sql`
  select sum(completed_count) as completed, sum(failed_count) as failed from day_rollups`

const ended = () => sql`
  select sum(case state when 'completed' then 1 else 0 end) as completed,
         sum(case state when 'failed' then 1 else 0 end) as failed
  from tasks`
