import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { runZombies } from './zombies/run-zombies.ts'

test('postgres: fencing refuses writes of a process paused past its lease, and nothing is lost', async (t) => {
  const { place } = await createTestStore(t, 'postgres')

  const report = await runZombies({ environment: serviceEnvironment(place), standstills: 3 })

  t.diagnostic(JSON.stringify(report))
  assert.deepEqual(report.lost, [])
  assert.deepEqual(report.unexplained, [])
  assert.deepEqual(report.faulty, [])
  assert.deepEqual(report.failed, [])
  assert.deepEqual(report.regressed, [])
  assert(report.takenOver > 0, 'another process took over')
  assert(report.fencedWrites > 0, 'late writes came and were refused')
})
