import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { runLatency } from './latency/run-latency.ts'

onBothStores((kind) => {
  test(`${kind}: hanging receivers of one account do not delay another account's callbacks`, async (t) => {
    const { place } = await createTestStore(t, kind)

    const report = await runLatency({ databaseUrl: place.url, rounds: 1, ms: 4_000, perSecond: 20 })

    t.diagnostic(JSON.stringify(report))
    assert.equal(report.calm.count, 80)
    assert.equal(report.beside.count, 80)
    assert.equal(report.hungCount, 40)
    assert.equal(report.failedCount, 0)
    // A callback that had to wait for a hanging receiver would wait for 15 s.
    assert.ok(report.beside.p99Ms < 10_000, `${report.beside.p99Ms} ms`)
  })
})
