import { crashPoints, jobCrashPoints } from '../../../src/runtime/crash-point.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { makeScratchFolder } from '../../support/scratch-folder.ts'
import { serviceEnvironment } from '../../support/test-service.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable } from '../fault-stores.ts'
import { openBeside } from '../service-process.ts'
import { type BatchesReport, runBatches } from './run-batches.ts'

/** Batches while the service is killed, on both stores, with fsync as in production. */
export async function measureBatches(run: FaultRun): Promise<FaultReport> {
  await using server = await startPostgres()
  const sqlite = await onStore('SQLite', run, undefined)
  const postgres = await onStore('PostgreSQL', run, server.url)
  const reports = { SQLite: sqlite, PostgreSQL: postgres }
  return {
    title: 'Batches: counts that add up, one event per end',
    text: `${explanation}\n\n${table(reports)}`,
    isKept: Object.values(reports).every(isKept),
  }
}

const explanation = `Callers submit batches of 20 pages with an \`Idempotency-Key\`, cancel some and run the failed pages of others again. The service is
killed with SIGKILL at every named moment (\`runtime/crash-point.ts\`) and at random; the receiver fails one event in ten. Then the store is
audited: each page in one final state, counts as the pages are, one event for each end, no page fetched again unless a process died
or lost its lease meanwhile, none failed but the one in twenty whose connection the origin resets. What was being fetched at two kills is given the
time to end alone, since a third kill then would make it the suspect. A lease lasts 1 s, to see more faults in the same time.`

async function onStore(
  name: string,
  run: FaultRun,
  url: string | undefined,
): Promise<BatchesReport> {
  await using folder = await makeScratchFolder()
  const environment = serviceEnvironment({ url, dataDir: folder.path })
  await using store = await openBeside(environment)
  return await runBatches({
    seed: run.seed,
    environment,
    db: store.db,
    batchesMin: run.isLong ? 1_000 : 200,
    pauseMsMax: 100,
    crashPoints: [...crashPoints, ...jobCrashPoints],
    randomKills: run.isLong ? 200 : 100,
    killEveryMs: 1_000,
    crashRounds: run.isLong ? 3 : 1,
    onProgress: (line) => run.say(`${name}: ${line}`),
  })
}

const isKept = (report: BatchesReport): boolean =>
  [
    report.lost,
    report.miscounted,
    report.misreported,
    report.undelivered,
    report.faulty,
    report.failed,
    report.refetched,
  ].every((found) => found.length === 0)

const table = (reports: Record<string, BatchesReport>): string =>
  factTable(reports, {
    'batches accepted': (one) => one.batchCount,
    'with failed pages run again': (one) => one.retriedCount,
    cancelled: (one) => one.cancelledCount,
    kills: (one) => one.killCount,
    'of these at named moments': (one) => one.crashedAt.length,
    lost: (one) => one.lost.length,
    'counts that are not those of the pages': (one) => one.miscounted.length,
    'more or fewer events than ends': (one) => one.misreported.length,
    'events not acknowledged or not of the store': (one) => one.undelivered.length,
    'wrong signature or counts in an event': (one) => one.faulty.length,
    'pages failed though the origin would have answered': (one) => one.failed.length,
    'pages fetched again, explained by a kill': (one) => one.refetchedAfterKill,
    'pages fetched again, unexplained': (one) => one.refetched.length,
  })
