import { join } from 'node:path'
import { openDatabase } from '../../../src/storage/open-database.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { makeScratchFolder } from '../../support/scratch-folder.ts'
import { startStallingProxy } from '../../support/stalling-proxy.ts'
import { serviceEnvironment } from '../../support/test-service.ts'
import { silentLog } from '../../support/test-store.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { isKept, outagesTable } from './outages-table.ts'
import { cutNetwork, freeze, kill, terminate } from './postgres-outages.ts'
import { type Outage, type OutagesReport, runOutages } from './run-outages.ts'
import { lock } from './sqlite-outages.ts'

const pauseMs = 50

/** One store after the other: response times mean nothing during another store's recovery. */
export async function measureOutages(run: FaultRun): Promise<FaultReport> {
  const reports = { PostgreSQL: await onPostgres(run), SQLite: await onSqlite(run) }
  return {
    title: 'Outages: the store is away under load',
    text: `${explanation}\n\n${outagesTable(reports)}`,
    isKept: Object.values(reports).every(isKept),
  }
}

const explanation = `Eight callers submit tasks with an \`Idempotency-Key\` while the store goes away and comes back. Killed: SIGKILL to
PostgreSQL's master process for 3 s. Paused: SIGSTOP to all of its processes. Cut off: the connections stay and carry nothing.
Connections ended: \`pg_terminate_backend\` for all of them every 50 ms. Locked: another process keeps SQLite's write lock. The
time of a 503 counts from the request, or from the outage if that came later; "again" counts from the store's return.
A lease lasts 1 s, so that what was under way is begun again.`

async function onPostgres(run: FaultRun): Promise<OutagesReport> {
  await using server = await startPostgres()
  await using folder = await makeScratchFolder()
  const url = new URL(server.url)
  await using proxy = await startStallingProxy(Number(url.port))
  url.port = String(proxy.port)
  await using db = await openDatabase({
    url: server.url,
    dataDir: folder.path,
    log: silentLog,
  })
  const long = run.isLong
  return await runOutages({
    seed: run.seed,
    environment: serviceEnvironment({ url: url.href, dataDir: folder.path }),
    pauseMs,
    db,
    outages: [
      ...repeat(long ? 30 : 3, kill(server, 3_000)),
      ...repeat(long ? 5 : 1, freeze(server, long ? 20_000 : 5_000)),
      ...repeat(long ? 5 : 1, cutNetwork(proxy, 5_000)),
      ...repeat(long ? 3 : 1, terminate(server.url, long ? 10_000 : 3_000)),
    ],
    onProgress: (line) => run.say(`PostgreSQL: ${line}`),
  })
}

async function onSqlite(run: FaultRun): Promise<OutagesReport> {
  await using folder = await makeScratchFolder()
  await using db = await openDatabase({ url: undefined, dataDir: folder.path, log: silentLog })
  return await runOutages({
    seed: run.seed,
    environment: serviceEnvironment({ dataDir: folder.path }),
    pauseMs,
    db,
    outages: repeat(run.isLong ? 5 : 1, lock(join(folder.path, 'trawl.db'), 5_000)),
    onProgress: (line) => run.say(`SQLite: ${line}`),
  })
}

const repeat = (times: number, outage: Outage): Outage[] =>
  Array.from({ length: times }, () => outage)
