import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../../../src/storage/open-database.ts'
import { makeScratchFolder } from '../../support/scratch-folder.ts'
import { serviceEnvironment } from '../../support/test-service.ts'
import { silentLog } from '../../support/test-store.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { isKept, outagesTable } from '../outages/outages-table.ts'
import { type OutagesReport, runOutages } from '../outages/run-outages.ts'
import { fill } from '../outages/sqlite-outages.ts'

const timesOf = (run: FaultRun): number => (run.isLong ? 5 : 1)
const lastsMsOf = (run: FaultRun): number => (run.isLong ? 10_000 : 4_000)

/** The disk fills up under load and gets space again; nothing else is done about it. */
export async function measureDiskFull(run: FaultRun): Promise<FaultReport> {
  const reports: Record<string, OutagesReport> = { 'SQLite by page limit': await byPageLimit(run) }
  const canMount = process.getuid?.() === 0
  if (canMount) {
    reports['SQLite'] = await onSmallVolume('SQLite', run)
    reports['PostgreSQL'] = await onSmallVolume('PostgreSQL', run)
    reports["PostgreSQL's log"] = await onSmallVolume('WAL', run)
  }
  const said = canMount ? explanation : `${explanation}\n\n${withoutRoot}`
  return {
    title: 'Disk full: no space under load',
    text: `${said}\n\n${outagesTable(reports)}`,
    isKept: Object.values(reports).every(isKept),
  }
}

const explanation = `Eight callers submit tasks while the store runs out of space: SQLite by a limit of its pages and on a volume
of 256 MiB filled to the last byte, PostgreSQL on such a volume, and with only its write-ahead log on one of 96 MiB. What finds a
place in pages that are there already may still be accepted, and is in the books. When the space is back, PostgreSQL is started
again if it gave up or hangs, as whatever looks after it would do; the service is left alone.`

const withoutRoot =
  '**Left out:** the volumes, because only root can mount them. Run this as root to see them.'

async function byPageLimit(run: FaultRun): Promise<OutagesReport> {
  await using folder = await makeScratchFolder()
  await using db = await openDatabase({ url: undefined, dataDir: folder.path, log: silentLog })
  const outage = fill(join(folder.path, 'trawl.db'), lastsMsOf(run))
  return await runOutages({
    seed: run.seed,
    environment: serviceEnvironment({ dataDir: folder.path }),
    pauseMs: 50,
    db,
    outages: Array.from({ length: timesOf(run) }, () => outage),
    onProgress: (line) => run.say(`SQLite by page limit: ${line}`),
  })
}

async function onSmallVolume(kind: string, run: FaultRun): Promise<OutagesReport> {
  const script = fileURLToPath(new URL('./small-volume.ts', import.meta.url))
  const asked = { kind, seed: run.seed, times: timesOf(run), lastsMs: lastsMsOf(run) }
  const child = spawn('unshare', ['-m', process.execPath, script, JSON.stringify(asked)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return JSON.parse(said)
}
