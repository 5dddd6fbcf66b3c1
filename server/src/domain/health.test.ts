import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checksOf, failedReadinessChecks, type HealthFacts, healthStatusOf } from './health.ts'

const well: HealthFacts = {
  isStoreAnswering: true,
  diskFreeShare: 0.5,
  isDraining: false,
  browser: 'ready',
}

const cases: [Partial<HealthFacts>, status: string, failed: string[]][] = [
  [{}, 'ok', []],
  [{ browser: 'absent' }, 'degraded', []],
  [{ browser: 'installing' }, 'degraded', []],
  [{ diskFreeShare: undefined }, 'ok', []],
  [{ diskFreeShare: 0.04 }, 'degraded', ['disk']],
  [{ isDraining: true }, 'degraded', ['accepting']],
  [{ isStoreAnswering: false }, 'unavailable', ['store']],
  [{ isStoreAnswering: false, isDraining: true }, 'unavailable', ['store', 'accepting']],
]

for (const [change, status, failed] of cases) {
  test(`with ${JSON.stringify(change)} the service is ${status}`, () => {
    const checks = checksOf({ ...well, ...change })

    assert.equal(healthStatusOf(checks), status)
    assert.deepEqual(failedReadinessChecks(checks), failed)
  })
}
