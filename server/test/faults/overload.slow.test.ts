import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestStore } from '../support/test-store.ts'
import { runOverload } from './overload/run-overload.ts'

test('at five times its capacity the service refuses the excess in time and delivers what it accepted', async (t) => {
  const { place } = await createTestStore(t, 'sqlite')

  const report = await runOverload({
    place,
    peakMs: 2_000,
    overloadMs: 6_000,
    queueSeconds: 1,
  })

  t.diagnostic(JSON.stringify(report))
  assert.deepEqual(report.lost, [])
  assert.equal(report.withoutRetryAfter, 0)
  assert.ok(report.accepted > 0)
  const refused = (report.byStatus['429'] ?? 0) + (report.byStatus['503'] ?? 0)
  assert.equal(refused + report.accepted, report.sent)
  assert.ok(refused > 0)
})
