import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startPostgres } from '../support/postgres-server.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import type { InterruptionReport } from './interruptions/interruption.ts'
import { runInterruptions } from './interruptions/run-interruptions.ts'
import { freeze } from './outages/postgres-outages.ts'
import { lock } from './outages/sqlite-outages.ts'

// Most of the time the service or its store is away, so both stores can be at once.
describe('interruptions', { concurrency: true }, () => {
  test('sqlite: no page fails for a kill, a stop or an outage, however long it lasts', async (t) => {
    const { place } = await createTestStore(t, 'sqlite')

    const reports = await runInterruptions({
      environment: serviceEnvironment(place),
      outageOf: (lastsMs) => lock(join(place.dataDir, 'trawl.db'), lastsMs),
      isLong: false,
      onReport: (report) => t.diagnostic(JSON.stringify(report)),
    })

    assertNoneFailed(reports)
  })

  test('postgres: no page fails for a kill, a stop or an outage, however long it lasts', async (t) => {
    // No power cut is simulated, so fsync is not needed; commits still are.
    const server = await startPostgres('fsync=off')
    const { place } = await createTestStore(t, 'postgres', server)

    const reports = await runInterruptions({
      environment: serviceEnvironment(place),
      outageOf: (lastsMs) => freeze(server, lastsMs),
      isLong: false,
      onReport: (report) => t.diagnostic(JSON.stringify(report)),
    })

    assertNoneFailed(reports)
  })
})

function assertNoneFailed(reports: readonly InterruptionReport[]): void {
  assert.deepEqual(
    reports.flatMap(({ name, failed }) => failed.map((failure) => `${name}: ${failure}`)),
    [],
  )
}
