import { join } from 'node:path'
import { startPostgres } from '../../support/postgres-server.ts'
import { makeScratchFolder } from '../../support/scratch-folder.ts'
import { serviceEnvironment } from '../../support/test-service.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { inSeconds } from '../fault-stores.ts'
import { kill } from '../outages/postgres-outages.ts'
import { lock } from '../outages/sqlite-outages.ts'
import type { InterruptionReport } from './interruption.ts'
import { runInterruptions } from './run-interruptions.ts'

/** Kills, stops and outages while pages are fetched, on both stores, with fsync as in production. */
export async function measureInterruptions(run: FaultRun): Promise<FaultReport> {
  const reports = { SQLite: await onSqlite(run), PostgreSQL: await onPostgres(run) }
  return {
    title: 'Interruptions: no page fails for our own troubles',
    text: `${explanation}\n\n${table(reports)}`,
    isKept: Object.values(reports)
      .flat()
      .every(({ failed }) => failed.length === 0),
  }
}

const explanation = `The origin answers every page, after 1, 1.5, 5 or 28 s; a page has 60 s. While it is asked for 64 pages, the service is ended by SIGKILL
and started again. While it is asked for 12, the service is sent SIGTERM, and started again 50 s after its end. While it is asked for 64, and for
four more whose callers wait, PostgreSQL is killed for 27 s, or another process keeps SQLite's write lock that long; a lease lasts 20 s. Promised:
no page fails, as the origin would have answered each. "All done" counts from the moment at which service and store were back.`

async function onSqlite(run: FaultRun): Promise<InterruptionReport[]> {
  await using folder = await makeScratchFolder()
  return await runInterruptions({
    environment: serviceEnvironment({ dataDir: folder.path }),
    outageOf: (lastsMs) => lock(join(folder.path, 'trawl.db'), lastsMs),
    isLong: run.isLong,
    onReport: (report) => say(run, 'SQLite', report),
  })
}

async function onPostgres(run: FaultRun): Promise<InterruptionReport[]> {
  await using server = await startPostgres()
  await using folder = await makeScratchFolder()
  return await runInterruptions({
    environment: serviceEnvironment({ url: server.url, dataDir: folder.path }),
    outageOf: (lastsMs) => kill(server, lastsMs),
    isLong: run.isLong,
    onReport: (report) => say(run, 'PostgreSQL', report),
  })
}

function say(run: FaultRun, store: string, { name, failed }: InterruptionReport): void {
  run.say(`${store}, ${name}: ${failed.length} failed`)
  for (const failure of failed) run.say(failure)
}

function table(reports: Record<string, InterruptionReport[]>): string {
  const rows = Object.entries(reports).flatMap(([store, ofStore]) =>
    ofStore.map((one) => [
      `${store}, ${one.name}`,
      one.submitted,
      one.completed,
      one.failed.length,
      one.atOnceAfter,
      inSeconds(one.doneMs),
    ]),
  )
  return [
    '| | pages under way | completed | failed | fetched at once afterwards | all done after |',
    '|---|---|---|---|---|---|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n')
}
