import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { runSoak } from './soak/run-soak.ts'

onBothStores((kind) => {
  test(`${kind}: under a mixed load every request ends as expected`, async (t) => {
    const { place } = await createTestStore(t, kind)

    const report = await runSoak({
      databaseUrl: place.url,
      ms: 6_000,
      perSecond: 20,
      sampleEveryMs: 500,
    })

    assert.deepEqual(report.wrong, [])
    assert.deepEqual(report.missing, { callbacks: 0, events: 0 })
    assert.ok(Object.values(report.asked).every((count) => count > 0))
    assert.ok(report.samples.every(({ memoryMib, files }) => memoryMib > 0 && files > 0))
    t.diagnostic(JSON.stringify(report.samples.at(-1)))
  })
})
