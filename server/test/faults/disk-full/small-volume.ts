/**
 * Tests one store on a volume that is filled to the last byte. It runs in its own process with its
 * own mount namespace, so that the volume vanishes with it. Prints the report.
 */
import { execFileSync } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { openDatabase } from '../../../src/storage/open-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { makeScratchFolder } from '../../support/scratch-folder.ts'
import { serviceEnvironment } from '../../support/test-service.ts'
import { silentLog } from '../../support/test-store.ts'
import { until } from '../../support/until.ts'
import { type Outage, runOutages } from '../outages/run-outages.ts'

interface Asked {
  kind: 'SQLite' | 'PostgreSQL' | 'WAL'
  seed: number
  times: number
  lastsMs: number
}

const asked: Asked = JSON.parse(process.argv[2] ?? '{}')
const volumeMib = 256
const walMib = 96
const walSwitchesMax = 100
// PostgreSQL refuses to run as root.
const nobody = 65_534

await using elsewhere = await makeScratchFolder()
await using mountPoint = await makeScratchFolder()
mount(mountPoint.path, volumeMib)
try {
  const report = await (asked.kind === 'SQLite' ? onSqlite() : onPostgres())
  console.log(JSON.stringify(report))
} finally {
  execFileSync('umount', ['-l', mountPoint.path])
}

async function onSqlite() {
  const dataDir = join(mountPoint.path, 'data')
  mkdirSync(dataDir)
  await using db = await openDatabase({ url: undefined, dataDir, log: silentLog })
  const outage = fillUp(mountPoint.path, async () => {})
  return await run(serviceEnvironment({ dataDir }), db, outage)
}

async function onPostgres() {
  process.env['TMPDIR'] = mountPoint.path
  await using server = await startPostgres()
  delete process.env['TMPDIR']
  if (asked.kind === 'PostgreSQL') return await onServer(server, mountPoint.path)
  const wal = await moveWal(server)
  try {
    return await onServer(server, wal)
  } finally {
    await server.stop()
    execFileSync('umount', ['-l', wal])
  }
}

async function onServer(server: PostgresServer, volume: string) {
  const { url } = server
  await using db = await openDatabase({ url, dataDir: elsewhere.path, log: silentLog })
  await withClient(url, (client) => client.query('create table filler (number int)'))
  const outage = fillUp(volume, () => bringBack(server))
  return await run(serviceEnvironment({ url, dataDir: elsewhere.path }), db, {
    ...outage,
    begin: async (service) => {
      await outage.begin(service)
      // First use up the WAL segments that PostgreSQL has preallocated.
      await useUpWal(url)
    },
  })
}

function run(
  environment: Record<string, string>,
  db: Awaited<ReturnType<typeof openDatabase>>,
  outage: Outage,
) {
  const outages = Array.from({ length: asked.times }, () => outage)
  const onProgress = (line: string) => console.error(`  ${asked.kind}: ${line}`)
  return runOutages({ seed: asked.seed, environment, pauseMs: 50, db, outages, onProgress })
}

/** The outage is not total: rows that fit into existing pages may still be written. */
function fillUp(volume: string, bringStoreBack: () => Promise<void>): Outage {
  const filler = join(volume, 'filler')
  return {
    name: 'volume full',
    lastsMs: asked.lastsMs,
    isTotal: false,
    begin: async () => {
      for (const bytes of [1_048_576, 4_096]) appendUntilFull(filler, Buffer.alloc(bytes, 1))
    },
    end: async () => {
      rmSync(filler)
      await bringStoreBack()
    },
  }
}

function appendUntilFull(file: string, chunk: Buffer): void {
  for (;;) {
    try {
      writeFileSync(file, chunk, { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
      throw error
    }
  }
}

function mount(path: string, mib: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,mode=755`, 'tmpfs', path])
}

/** Moves the write-ahead log to its own volume. */
async function moveWal(server: PostgresServer): Promise<string> {
  await server.stop()
  const [folder = ''] = readdirSync(mountPoint.path).filter((name) => name.includes('postgres'))
  const wal = join(mountPoint.path, folder, 'cluster', 'pg_wal')
  const copy = join(elsewhere.path, 'wal')
  cpSync(wal, copy, { recursive: true })
  mount(wal, walMib)
  cpSync(copy, wal, { recursive: true })
  for (const name of ['.', ...readdirSync(wal, { recursive: true })]) {
    chownSync(join(wal, String(name)), nobody, nobody)
  }
  await server.start()
  return wal
}

async function useUpWal(url: string): Promise<void> {
  try {
    await withClient(url, async (client) => {
      for (let switches = 0; switches < walSwitchesMax; switches++) {
        await client.query('insert into filler values (1)')
        await client.query('select pg_switch_wal()')
      }
    })
  } catch (error) {
    console.error(`  ${asked.kind}: ${String(error)}`)
  }
}

/** Restarts PostgreSQL if it gave up, as a supervisor would; the service is left alone. */
async function bringBack(server: PostgresServer): Promise<void> {
  const isBack = async () => {
    await server.start()
    const isWriting = (client: pg.Client) => client.query('insert into filler values (1)')
    return await withClient(server.url, isWriting).then(
      () => true,
      () => false,
    )
  }
  try {
    await until(isBack)
  } catch {
    // PostgreSQL sometimes hangs after its WAL could not grow: it runs but writes nothing.
    console.error(`  ${asked.kind}: PostgreSQL hangs with space enough and is started again`)
    await server.abort()
    await until(isBack)
  }
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>) {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await work(client)
  } finally {
    client.connection.stream.destroy()
  }
}
