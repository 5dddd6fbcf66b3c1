import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobCrashPoints } from '../../src/runtime/crash-point.ts'
import { sql } from '../../src/storage/statement.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, tierStoreKinds } from '../support/test-store.ts'
import { runBatches } from './batches/run-batches.ts'

const seed = Number(process.env['LEDGER_SEED'] ?? Date.now() % 1_000_000)

/** What batches commit. The ledger has every moment of a task, and `npm run faults batches` both. */
const crashPoints = ['after_accept_commit', 'before_result_commit', ...jobCrashPoints] as const
const randomKills = 3

for (const kind of tierStoreKinds) {
  test(`${kind}: batches count right and end once while the service is killed again and again`, async (t) => {
    t.diagnostic(`replay: LEDGER_SEED=${seed} npm test -- server/test/faults/batches.slow.test.ts`)
    const { place, open } = await createTestStore(t, kind)
    const db = await open()

    const { batchCount, retriedCount, cancelledCount, refetchedAfterKill, ...report } =
      await runBatches({
        seed,
        environment: serviceEnvironment(place),
        db,
        batchesMin: 30,
        pauseMsMax: 600,
        crashPoints,
        randomKills,
        killEveryMs: 700,
        crashRounds: 1,
      })

    t.diagnostic(
      JSON.stringify({ batchCount, retriedCount, cancelledCount, refetchedAfterKill, ...report }),
    )
    assert.deepEqual(report.lost, [])
    assert.deepEqual(report.miscounted, [])
    assert.deepEqual(report.misreported, [])
    assert.deepEqual(report.undelivered, [])
    assert.deepEqual(report.faulty, [])
    assert.deepEqual(report.failed, [])
    assert.deepEqual(report.refetched, [])
    assert.deepEqual(report.crashedAt, [...crashPoints])
    assert.ok(report.killCount >= crashPoints.length + randomKills)
    assert.deepEqual(await db.run(sql`select id from tasks where state = 'open'`), [])
    const [counted] = await db.run(sql`select sum(completed_count) as total from day_rollups`)
    const [completed] = await db.run(
      sql`select count(*) as total from tasks where state = 'completed'`,
    )
    assert.deepEqual(counted, completed)
  })
}
