import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crashPoints, crawlCrashPoints, jobCrashPoints } from '../../src/runtime/crash-point.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, storeKinds } from '../support/test-store.ts'
import { runCrawls } from './crawls/run-crawls.ts'

const seed = Number(process.env['LEDGER_SEED'] ?? Date.now() % 1_000_000)

for (const kind of storeKinds) {
  test(`${kind}: crawls have exactly the right pages while the service is killed again and again`, async (t) => {
    t.diagnostic(`replay: LEDGER_SEED=${seed} npm test -- server/test/faults/crawls.slow.test.ts`)
    const { place } = await createTestStore(t, kind)

    const report = await runCrawls({
      seed,
      environment: serviceEnvironment(place),
      goodPageCount: 25,
      randomKills: 6,
      killEveryMs: 1_000,
      crashRounds: 1,
    })

    t.diagnostic(JSON.stringify(report))
    assert.deepEqual(report.problems, [])
    assert.deepEqual(
      report.crashedAt,
      [...crashPoints, ...jobCrashPoints, ...crawlCrashPoints].filter(
        (point) => point !== 'during_retention',
      ),
    )
    assert.ok(report.killCount >= 20)
  })
}
