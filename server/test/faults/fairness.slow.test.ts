import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, tierStoreKinds } from '../support/test-store.ts'
import { runFairness } from './fairness/run-fairness.ts'

const lanes = [
  { lane: 'http', what: 'tasks' },
  { lane: 'delivery', what: 'callbacks at slow receivers' },
] as const

for (const kind of tierStoreKinds) {
  for (const { lane, what } of lanes) {
    test(`${kind}: an account with few tasks does not wait behind hundreds of ${what} of another`, async (t) => {
      const { place } = await createTestStore(t, kind)

      const report = await runFairness({
        environment: {
          ...serviceEnvironment(place),
          TRAWL_HTTP_CONCURRENCY: '8',
          TRAWL_DELIVERY_CONCURRENCY: '8',
        },
        lane,
        manyCount: 300,
        slotMs: 200,
        idleRounds: 0,
        rateMs: 500,
      })

      t.diagnostic(JSON.stringify(report))
      assert(report.waiting > 200, `${report.waiting} were waiting`)
      // Fair turns let twenty and the running ones pass; a plain queue would let all waiting ones
      // pass.
      const most = report.waiting / 2
      assert(report.passedBy < most, `${report.passedBy} of ${report.waiting} came before`)
    })
  }
}
