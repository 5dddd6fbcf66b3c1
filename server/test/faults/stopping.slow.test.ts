import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, storeKinds } from '../support/test-store.ts'
import { runStopping } from './stopping/run-stopping.ts'

const rounds = storeKinds.map((kind) =>
  kind === 'postgres' ? { kind, processCount: 3, stops: 3 } : { kind, processCount: 1, stops: 2 },
)

for (const { kind, processCount, stops } of rounds) {
  const how = processCount > 1 ? 'a rolling restart of three processes' : 'repeated stopping'

  test(`${kind}: ${how} under load loses nothing, repeats nothing and refuses nobody`, async (t) => {
    const { place } = await createTestStore(t, kind)

    const report = await runStopping({
      environment: serviceEnvironment(place),
      processCount,
      stops,
      pauseMs: 300,
    })

    t.diagnostic(JSON.stringify(report))
    assert.deepEqual(report.exitCodes, Array(stops).fill(0))
    assert.deepEqual(report.lost, [])
    assert.deepEqual(report.unexplained, [], 'nothing is delivered twice')
    assert.deepEqual(report.faulty, [])
    assert.deepEqual(report.failed, [])
    assert.deepEqual(report.politeFailures, [])
    assert.deepEqual(report.unannounced, [])
    assert(report.accepted > 0)
  })
}
