import { startPostgres } from '../../support/postgres-server.ts'
import { makeScratchFolder } from '../../support/scratch-folder.ts'
import { serviceEnvironment } from '../../support/test-service.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable, inSeconds } from '../fault-stores.ts'
import { openBeside } from '../service-process.ts'
import { type LedgerReport, runLedger } from './run-ledger.ts'

/** Tasks while the service is killed, on both stores, with fsync as in production. */
export async function measureLedger(run: FaultRun): Promise<FaultReport> {
  await using server = await startPostgres()
  const [sqlite, postgres] = await Promise.all([
    onStore('SQLite', run, undefined),
    onStore('PostgreSQL', run, server.url),
  ])
  const reports = { SQLite: sqlite, PostgreSQL: postgres }
  return {
    title: 'The ledger: nothing accepted is lost',
    text: `${explanation}\n\n${table(reports)}`,
    isKept: Object.values(reports).every(isKept),
  }
}

const explanation = `Callers submit tasks with an \`Idempotency-Key\` and write down what they were promised. The service is killed with
SIGKILL at random and at every named moment (\`runtime/crash-point.ts\`); the receiver fails one in ten and hangs one in fifty.
Then the books are compared. A lease lasts 1 s and deliveries are retried every 300 ms, to see more faults in the same time.
No loss among n accepted tasks bounds the loss below 3/n at 95 %. The origin answers every page, so none may fail: what was being worked on at
two kills is given the time to end alone, since a third kill then would make it the suspect.`

async function onStore(
  name: string,
  run: FaultRun,
  url: string | undefined,
): Promise<LedgerReport> {
  await using folder = await makeScratchFolder()
  const size = run.isLong ? 1 : 0.1
  const environment = serviceEnvironment({ url, dataDir: folder.path })
  await using store = await openBeside(environment)
  return await runLedger({
    seed: run.seed,
    environment,
    db: store.db,
    tasksMin: 20_000 * size,
    pauseMs: 100,
    randomKills: Math.round(200 * size),
    killEveryMs: 1_500,
    crashRounds: run.isLong ? 3 : 1,
    onProgress: (line) => run.say(`${name}: ${line}`),
  })
}

const isKept = (report: LedgerReport): boolean =>
  [
    report.lost,
    report.unexpected,
    report.faulty,
    report.unexplained,
    report.renamed,
    report.failed,
  ].every((found) => found.length === 0)

const table = (reports: Record<string, LedgerReport>): string =>
  factTable(reports, {
    accepted: (one) => one.acceptedCount,
    'arrivals at the receiver': (one) => one.arrivalsCount,
    kills: (one) => one.killCount,
    'of these at named moments': (one) => one.crashedAt.length,
    'outages of the store': (one) => one.outageCount,
    lost: (one) => one.lost.length,
    'never asked for': (one) => one.unexpected.length,
    'wrong signature, page or id': (one) => one.faulty.length,
    'told under more than one id': (one) => one.renamed.length,
    'told again, explained by a kill or an outage': (one) => one.explainedCount,
    'told again, unexplained': (one) => one.unexplained.length,
    'failed though the origin would have answered': (one) => one.failed.length,
    'last arrival after the last kill': (one) => inSeconds(one.drainMs),
  })
