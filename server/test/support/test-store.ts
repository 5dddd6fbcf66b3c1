import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { TestContext } from 'node:test'
import { createLog } from '../../src/runtime/log.ts'
import type { Database } from '../../src/storage/database.ts'
import { type DatabaseOptions, openDatabase } from '../../src/storage/open-database.ts'
import type { PostgresServer } from './postgres-server.ts'
import { makeScratchFolder } from './scratch-folder.ts'
import {
  createDatabase,
  dropDatabase,
  sharedPostgresUrl,
  templateDatabase,
} from './shared-postgres.ts'
import { copySqliteTemplate } from './sqlite-template.ts'

export type StoreKind = Database['kind']

export const storeKinds: readonly StoreKind[] = ['sqlite', 'postgres']

/**
 * What uses a store and is not about it runs on the first one in `npm test`, on both in `test:all`. A slow
 * file runs on one of them, unless it is named: which, follows from its name, so that each store gets half.
 */
export const tierStoreKinds: readonly StoreKind[] = storeKindsOf(
  process.env['TRAWL_TEST_TIER'],
  process.argv[1] ?? '',
)

function storeKindsOf(tier: string | undefined, file: string): readonly StoreKind[] {
  if (tier === 'named') return storeKinds
  if (tier === 'fast') return storeKinds.slice(0, 1)
  if (!file.endsWith('.slow.test.ts')) return storeKinds
  const at = basename(file).length % storeKinds.length
  return storeKinds.slice(at, at + 1)
}

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
export const createTestStore = (
  t: TestContext,
  kind: StoreKind,
  ownServer?: PostgresServer,
): Promise<TestStore> => createStore(t, kind, { template: templateDatabase, ownServer })

/** The same without a schema, for what is about the schema itself or has another one. */
export const createBlankStore = (
  t: TestContext,
  kind: StoreKind,
  ownServer?: PostgresServer,
): Promise<TestStore> => createStore(t, kind, { ownServer })

export async function openBlankStore(
  t: TestContext,
  kind: StoreKind,
  options?: Partial<DatabaseOptions>,
): Promise<Database> {
  const store = await createBlankStore(t, kind)
  return await store.open(options)
}

async function createStore(
  t: TestContext,
  kind: StoreKind,
  { template, ownServer }: { template?: string; ownServer: PostgresServer | undefined },
): Promise<TestStore> {
  const resources = new AsyncDisposableStack()
  t.after(() => resources.disposeAsync())
  if (ownServer) resources.use(ownServer)
  const { path: dataDir } = resources.use(await makeScratchFolder())
  const createPostgres = async () =>
    ownServer
      ? await createDatabase(ownServer.url, randomName())
      : await createDatabase(await sharedPostgresUrl(), randomName(), template)
  const url = kind === 'sqlite' ? undefined : resources.adopt(await createPostgres(), dropDatabase)
  if (kind === 'sqlite' && template) await copySqliteTemplate(dataDir)
  const place = { url, dataDir }
  return {
    kind,
    place,
    open: async (options) =>
      resources.use(await openDatabase({ ...place, log: silentLog, ...options })),
  }
}

const randomName = () => `test_${randomUUID().replaceAll('-', '')}`
