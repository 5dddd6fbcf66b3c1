import type { TestContext } from 'node:test'
import { type Credentials, createAccount } from '../../src/accounts/accounts.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import { type Service, startService } from '../../src/main.ts'
import {
  openColumn,
  type SealedColumn,
  sealedTables,
} from '../../src/storage/secrets/sealed-columns.ts'
import { Statement, sql } from '../../src/storage/statement.ts'
import { type OpenStore, openStore } from '../../src/wiring/open-store.ts'
import { type ApiResponse, callApi } from './call-api.ts'
import { callWithRetry } from './retry-while-unavailable.ts'
import { reachingLoopback } from './scrape-calls.ts'
import { serviceEnvironment } from './test-service.ts'
import { createTestStore, type StoreKind, silentLog } from './test-store.ts'

/** A store on which a test starts services with different encryption keys, in turn or at once. */
export interface SealedStore {
  readonly dataDir: string
  environmentWith(settings: Record<string, string>): Record<string, string>
  start(settings?: Record<string, string>): Promise<Service>
  open(settings?: Record<string, string>): Promise<OpenStore & AsyncDisposable>
}

export async function createSealedStore(t: TestContext, kind: StoreKind): Promise<SealedStore> {
  const { place } = await createTestStore(t, kind)
  const environmentWith = (settings: Record<string, string>) => ({
    ...serviceEnvironment(place),
    ...reachingLoopback,
    ...settings,
  })
  const configWith = (settings: Record<string, string> = {}): Config =>
    loadConfig({}, environmentWith(settings), place.dataDir).config
  return {
    dataDir: place.dataDir,
    environmentWith,
    async start(settings) {
      const service = await startService(configWith(settings), silentLog)
      t.after(() => service[Symbol.asyncDispose]())
      return service
    },
    async open(settings) {
      const store = await openStore(configWith(settings), silentLog)
      return { ...store, [Symbol.asyncDispose]: () => store.db[Symbol.asyncDispose]() }
    },
  }
}

export type Caller = (service: Service, request: string, body?: unknown) => Promise<ApiResponse>

/** Creates an account whose API key works at every service of the store. */
export async function createCaller(store: OpenStore): Promise<Caller & Credentials> {
  const credentials = await createAccount(store, { username: 'caller' })
  const headers = { 'x-api-key': credentials.apiKey }
  const call: Caller = ({ url }, request, body) =>
    callWithRetry(() => callApi(url, request, { headers, body }))
  return Object.assign(call, credentials)
}

/** Every encrypted text of the store with its column. */
export async function listSealedTexts({ db }: OpenStore): Promise<StoredText[]> {
  const texts: StoredText[] = []
  for (const [name, { key, account, columns, ...table }] of Object.entries(sealedTables)) {
    const id = 'id' in table ? table.id : key[0]
    for (const column of columns) {
      const query = `select ${id} as id, ${account} as account_id, ${column} as text
                     from ${name} where ${column} is not null`
      const rows = await db.run(
        new Statement<{ id: string; account_id: string; text: string }>({
          strings: [query],
          slots: [],
        }),
      )
      const where = `${name}.${column}` as SealedColumn
      texts.push(...rows.map((row) => ({ column: where, ...row, accountId: row.account_id })))
    }
  }
  return texts
}

export interface StoredText {
  column: SealedColumn
  id: string
  accountId: string
  text: string
}

/**
 * Decrypts all but the signing secrets in place, as old versions without encryption stored them.
 */
export async function storeAsPlainText(store: OpenStore): Promise<void> {
  const { db, sealer } = store
  for (const one of await listSealedTexts(store)) {
    if (one.column === 'signing_secrets.sealed') continue
    const plain = openColumn(sealer, one.column, one, one.text)
    const [table = '', column = ''] = one.column.split('.')
    const update = [`update ${table} set ${column} = `, ` where ${column} = `, '']
    await db.run(new Statement({ strings: update, slots: [plain, one.text] }))
  }
  await db.run(sql`delete from store_properties where name = 'plain_rows_sealed'`)
}

export const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64')

const [oldKey, newKey] = [keyOf(1), keyOf(2)]

/** The settings before, during and after a key rotation. */
export const rotationSettings = {
  old: { TRAWL_SECRET_KEY: oldKey },
  both: { TRAWL_SECRET_KEY: newKey, TRAWL_SECRET_KEY_PREVIOUS: oldKey },
  fresh: { TRAWL_SECRET_KEY: newKey },
}
