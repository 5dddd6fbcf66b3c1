import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, storeKinds } from '../support/test-store.ts'
import { runStopping } from './stopping/run-stopping.ts'

const rounds = storeKinds.map((kind) => ({ kind, processCount: kind === 'postgres' ? 3 : 1 }))

for (const { kind, processCount } of rounds) {
  const how = processCount > 1 ? 'a rolling restart of three processes' : 'repeated stopping'

  test(`${kind}: ${how} under load loses nothing, repeats nothing and refuses nobody`, async (t) => {
    const { place } = await createTestStore(t, kind)

    const report = await runStopping({
      environment: serviceEnvironment(place),
      processCount,
      stops: 3,
    })

    t.diagnostic(JSON.stringify(report))
    assert.deepEqual(report.exitCodes, [0, 0, 0])
    assert.deepEqual(report.lost, [])
    assert.deepEqual(report.unexplained, [], 'nothing is delivered twice')
    assert.deepEqual(report.faulty, [])
    assert.deepEqual(report.politeFailures, [])
    assert.deepEqual(report.unannounced, [])
    assert(report.accepted > 0)
  })
}
