import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Database } from '../../src/storage/database.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { startStallingProxy } from '../support/stalling-proxy.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { cutNetwork, freeze, kill, terminate } from './outages/postgres-outages.ts'
import { type Outage, type OutagesReport, runOutages } from './outages/run-outages.ts'
import { fill, lock } from './outages/sqlite-outages.ts'

const seed = Number(process.env['LEDGER_SEED'] ?? Date.now() % 1_000_000)

test('postgres: kills, pauses, network cuts and dropped connections under load lose no accepted task', async (t) => {
  // No power cut is simulated, so fsync is not needed; commits still are.
  const server = await startPostgres('fsync=off')
  const store = await createTestStore(t, 'postgres', server)
  const db = await store.open()
  const url = new URL(store.place.url ?? '')
  await using proxy = await startStallingProxy(Number(url.port))
  url.port = String(proxy.port)

  const report = await undergo(t, db, { ...store.place, url: url.href }, [
    kill(server, 1_500),
    freeze(server, 3_000),
    cutNetwork(proxy, 3_000),
    terminate(store.place.url ?? '', 1_500),
  ])

  assertKept(report)
  for (const { name, isTotal, unavailableMs, readyzStatus } of report.outages) {
    assert(unavailableMs.length > 0, `${name}: nobody was told`)
    if (isTotal) assert.equal(readyzStatus, 503, name)
  }
})

test('sqlite: a full disk and a locked file under load lose no accepted task', async (t) => {
  const store = await createTestStore(t, 'sqlite')
  const db = await store.open()
  const file = join(store.place.dataDir, 'trawl.db')

  const report = await undergo(t, db, store.place, [fill(file, 2_000), lock(file, 2_500)])

  assertKept(report)
  for (const { name, unavailableMs } of report.outages) {
    assert(unavailableMs.length > 0, `${name}: nobody was told`)
  }
})

function undergo(
  t: TestContext,
  db: Database,
  place: { url?: string | undefined; dataDir: string },
  outages: readonly Outage[],
): Promise<OutagesReport> {
  t.diagnostic(`replay: LEDGER_SEED=${seed} npm test -- server/test/faults/outages.slow.test.ts`)
  return runOutages({
    seed,
    environment: serviceEnvironment(place),
    outages,
    pauseMs: 200,
    db,
  }).then((report) => {
    const outages = report.outages.map(({ unavailableMs, ...one }) => ({
      ...one,
      unavailable: unavailableMs.length,
      slowestMs: Math.round(Math.max(...unavailableMs)),
    }))
    t.diagnostic(JSON.stringify({ ...report, outages }))
    return report
  })
}

function assertKept(report: OutagesReport): void {
  assert.deepEqual(report.lost, [])
  assert.deepEqual(report.withoutRow, [])
  assert.deepEqual(report.unexpected, [])
  assert.deepEqual(report.faulty, [])
  assert.deepEqual(report.unexplained, [])
  assert.deepEqual(report.renamed, [])
  assert.deepEqual(report.failed, [])
  assert.equal(report.deathCount, 0)
  for (const { name, isTotal, acceptedMeanwhile, otherAnswers } of report.outages) {
    if (isTotal) assert.equal(acceptedMeanwhile, 0, name)
    assert.deepEqual(otherAnswers, [], name)
  }
}
