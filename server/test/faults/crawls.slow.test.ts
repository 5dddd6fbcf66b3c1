import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crawlCrashPoints, jobCrashPoints } from '../../src/runtime/crash-point.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, tierStoreKinds } from '../support/test-store.ts'
import { runCrawls } from './crawls/run-crawls.ts'

const seed = Number(process.env['LEDGER_SEED'] ?? Date.now() % 1_000_000)

/** What only crawls commit. The ledger has every moment of a task, and `npm run faults crawls` both. */
const crashPoints = [...jobCrashPoints, ...crawlCrashPoints] as const
const randomKills = 3

for (const kind of tierStoreKinds) {
  test(`${kind}: crawls have exactly the right pages while the service is killed again and again`, async (t) => {
    t.diagnostic(`replay: LEDGER_SEED=${seed} npm test -- server/test/faults/crawls.slow.test.ts`)
    const { place, open } = await createTestStore(t, kind)

    const report = await runCrawls({
      seed,
      environment: serviceEnvironment(place),
      db: await open(),
      goodPageCount: 25,
      crashPoints,
      randomKills,
      killEveryMs: 1_000,
      crashRounds: 1,
    })

    t.diagnostic(JSON.stringify(report))
    assert.deepEqual(report.problems, [])
    assert.deepEqual(report.crashedAt, [...crashPoints])
    assert.ok(report.killCount >= crashPoints.length + randomKills)
  })
}
