import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, tierStoreKinds } from '../support/test-store.ts'
import { runRecovery } from './recovery/run-recovery.ts'

for (const kind of tierStoreKinds) {
  test(`${kind}: tasks that a killed process was running return to a long queue, none is lost`, async (t) => {
    const { place } = await createTestStore(t, kind)
    const environment = { ...serviceEnvironment(place), TRAWL_LEASE: '5s' }

    const report = await runRecovery({ environment, queued: 3_000 })

    t.diagnostic(JSON.stringify(report))
    assert.equal(report.orphans, 64)
    assert.equal(report.lost, 0)
  })
}
