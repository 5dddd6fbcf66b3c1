import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceEnvironment } from '../support/test-service.ts'
import { createBlankStore } from '../support/test-store.ts'
import { runUpgrade } from './upgrades/run-upgrade.ts'

// SQLite has one writer at a time, so that one of the two migrations shows it.
const upgrades = [
  { kind: 'sqlite', from: 'queue_flows', accepted: 'tasks' },
  { kind: 'postgres', from: 'queue_flows', accepted: 'tasks' },
  { kind: 'postgres', from: 'jobs', accepted: 'deliveries' },
] as const
for (const { kind, from, accepted } of upgrades) {
  test(`${kind}: ${accepted} that older processes accept during the migration are finished`, async (t) => {
    const { place } = await createBlankStore(t, kind)

    const report = await runUpgrade({
      environment: serviceEnvironment(place),
      from,
      writersCount: 8,
      acceptedBefore: 100,
      backlogCount: 5_000,
      finishedWithinMs: 120_000,
    })

    t.diagnostic(JSON.stringify(report))
    assert.ok(report.acceptedMeanwhile > 0)
    assert.deepEqual([report.lost, report.requeued], [0, 0])
  })
}
