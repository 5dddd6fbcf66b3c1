import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { createLog } from '../../src/runtime/log.ts'
import type { Database } from '../../src/storage/database.ts'
import { type DatabaseOptions, openDatabase } from '../../src/storage/open-database.ts'
import type { PostgresServer } from './postgres-server.ts'
import { makeScratchFolder } from './scratch-folder.ts'
import { sharedPostgresUrl } from './shared-postgres.ts'

export type StoreKind = Database['kind']

export const storeKinds: readonly StoreKind[] = ['sqlite', 'postgres']

/** An empty store of a test's own, gone when the test is over. */
export interface TestStore {
  readonly kind: StoreKind
  /** What another process needs to open the same store. */
  readonly place: Pick<DatabaseOptions, 'url' | 'dataDir'>
  /** Each call opens the store once more, as another process would; closed with the test. */
  open(options?: Partial<DatabaseOptions>): Promise<Database>
}

export const silentLog = createLog({ level: 'silent', isPretty: false })

export async function openTestStore(
  t: TestContext,
  kind: StoreKind,
  options?: Partial<DatabaseOptions>,
): Promise<Database> {
  const store = await createTestStore(t, kind)
  return await store.open(options)
}

/** On PostgreSQL it is a database of its own on the shared server, or on one that ends with it. */
export async function createTestStore(
  t: TestContext,
  kind: StoreKind,
  ownServer?: PostgresServer,
): Promise<TestStore> {
  const resources = new AsyncDisposableStack()
  t.after(() => resources.disposeAsync())
  if (ownServer) resources.use(ownServer)
  const { path: dataDir } = resources.use(await makeScratchFolder())
  const url =
    kind === 'sqlite'
      ? undefined
      : resources.adopt(
          await createDatabase(ownServer?.url ?? (await sharedPostgresUrl())),
          dropDatabase,
        )
  const place = { url, dataDir }
  return {
    kind,
    place,
    open: async (options) =>
      resources.use(await openDatabase({ ...place, log: silentLog, ...options })),
  }
}

async function createDatabase(serverUrl: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await runOn(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

async function dropDatabase(url: string): Promise<void> {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = '/postgres'
  await runOn(server.href, `drop database if exists ${name} with (force)`)
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
