import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, storeKinds } from '../support/test-store.ts'
import { runRecovery } from './recovery/run-recovery.ts'

for (const kind of storeKinds) {
  test(`${kind}: what a killed process was running beside a long queue is back in line, none lost`, async (t) => {
    const { place } = await createTestStore(t, kind)
    const environment = { ...serviceEnvironment(place), TRAWL_LEASE: '2s' }

    const report = await runRecovery({ environment, queued: 3_000 })

    t.diagnostic(JSON.stringify(report))
    assert.equal(report.orphans, 64)
    assert.equal(report.lost, 0)
  })
}
