import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { createLog } from '../src/runtime/log.ts'
import type { Database } from '../src/storage/database.ts'
import { openDatabase } from '../src/storage/open-database.ts'
import { putStoreProperty } from '../src/storage/tables/store-properties.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { type BenchRow, compare } from './bench-row.ts'

/** One side of the comparison: each call commits one write. */
type Write = (number: number) => Promise<void>

const windowMs = 500
const callersTogether = 64

/**
 * Committed writes per second through our store, sequential and concurrent, compared with bare
 * commits through the driver. Every commit waits for the disk on both sides.
 */
export async function measureStoreWrites(): Promise<BenchRow[]> {
  await using resources = new AsyncDisposableStack()
  const dataDir = resources.adopt(await mkdtemp(join(tmpdir(), 'trawl-bench-')), (folder) =>
    rm(folder, { recursive: true, force: true }),
  )
  const server = resources.use(await startPostgres())
  const log = createLog({ level: 'silent', isPretty: false })
  const sqlite = resources.use(await openDatabase({ dataDir, log }))
  const postgres = resources.use(await openDatabase({ url: server.url, dataDir, log }))
  const bareFile = join(dataDir, 'bare.db')
  const bareSqlite = resources.adopt(new DatabaseSync(bareFile), (bare) => bare.close())
  const barePostgres = new pg.Client({ connectionString: server.url })
  await barePostgres.connect()
  resources.defer(() => barePostgres.end())

  return [
    ...(await compareWrites('SQLite', throughStore(sqlite), {
      name: 'node:sqlite, one commit each',
      write: bareSqliteWrite(bareSqlite),
    })),
    ...(await compareWrites('PostgreSQL', throughStore(postgres), {
      name: 'pg, one commit each',
      write: barePostgresWrite(barePostgres),
    })),
  ]
}

// A new value each time: SQLite writes nothing, and waits for nothing, if the row stays the same.
const rowOf = (number: number) => ({
  name: `property-${number % 10_000}`,
  value: `value ${number}`,
})

const throughStore =
  (db: Database): Write =>
  async (number) => {
    await db.run(putStoreProperty(rowOf(number)))
  }

function bareSqliteWrite(bare: DatabaseSync): Write {
  bare.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table store_properties (name text primary key, value text not null)`)
  const put = bare.prepare(`
    insert into store_properties (name, value) values (?, ?)
    on conflict (name) do update set value = excluded.value`)
  return async (number) => {
    const { name, value } = rowOf(number)
    put.run(name, value)
  }
}

function barePostgresWrite(bare: pg.Client): Write {
  const text = `
    insert into store_properties (name, value) values ($1, $2)
    on conflict (name) do update set value = excluded.value`
  return async (number) => {
    const { name, value } = rowOf(number)
    await bare.query({ name: 'put', text, values: [name, value] })
  }
}

async function compareWrites(
  store: string,
  write: Write,
  bare: { name: string; write: Write },
): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const callersCount of [1, callersTogether]) {
    const callers = callersCount === 1 ? 'one caller' : `${callersCount} callers`
    const names = { measure: `${store}: committed writes, ${callers}`, baselineName: bare.name }
    const ours = () => measureWrites(write, callersCount)
    rows.push(await compare(names, { ours, bare: () => measureWrites(bare.write, 1) }))
  }
  return rows
}

let writesCount = 0

async function measureWrites(write: Write, callersCount: number): Promise<number> {
  const writesBefore = writesCount
  const startedMs = performance.now()
  const callers = Array.from({ length: callersCount }, async () => {
    while (performance.now() - startedMs < windowMs) {
      writesCount += 1
      await write(writesCount)
    }
  })
  await Promise.all(callers)
  return (writesCount - writesBefore) / ((performance.now() - startedMs) / 1_000)
}
