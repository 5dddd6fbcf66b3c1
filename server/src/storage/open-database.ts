import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../runtime/log.ts'
import type { Driver } from './database.ts'
import { openPostgres } from './drivers/postgres.ts'
import { openSqlite } from './drivers/sqlite.ts'
import { OutageLog } from './outages/outage-log.ts'
import { isStoreUnavailable } from './outages/store-unavailable.ts'
import { WatchedDatabase } from './outages/watched-database.ts'
import { migrate } from './schema/migrate.ts'
import { type Migration, readMigrations, schemaOf } from './schema/migration.ts'
import { SchemaGuard } from './schema/schema-guard.ts'
import { fileIn, placeOf, toRefusal } from './store-place.ts'

export interface DatabaseOptions {
  /** `postgres://…`; without it the store is a file in `dataDir`. */
  readonly url?: string | undefined
  readonly dataDir: string
  readonly log: Log
  readonly migrations?: readonly Migration[] | undefined
  /** For PostgreSQL only. */
  readonly connectionsMax?: number | undefined
  /** For SQLite only: how long a writer waits for another process to finish its write. */
  readonly busyTimeoutMs?: number | undefined
  /** How long opening is retried while the store does not respond: its server may be starting. */
  readonly patienceMs?: number | undefined
}

const patienceMsDefault = 30_000
const retryAfterMs = 500

/** Opens the store and brings its schema up to date, or throws `StoreRefused`. */
export async function openDatabase(options: DatabaseOptions): Promise<WatchedDatabase> {
  const { log, patienceMs = patienceMsDefault, migrations = readMigrations() } = options
  const place = placeOf(options)
  const endsAtMs = performance.now() + patienceMs
  for (let attempt = 1; ; attempt++) {
    try {
      const driver = await openOnce({ ...options, migrations })
      return new WatchedDatabase(driver, {
        outages: new OutageLog({ log, place }),
        schema: new SchemaGuard({ log, place, madeFor: schemaOf(migrations) }),
      })
    } catch (error) {
      const refusal = toRefusal(error, place)
      if (!isStoreUnavailable(error) || performance.now() >= endsAtMs) throw refusal
      if (attempt === 1) log.warn(`${refusal.message} Retrying for ${patienceMs} ms.`)
      await delay(retryAfterMs)
    }
  }
}

async function openOnce(
  options: DatabaseOptions & { migrations: readonly Migration[] },
): Promise<Driver> {
  const { migrations, log } = options
  const database = await openDriver(options)
  try {
    await migrate(database, { migrations, log })
    return database
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

const openDriver = ({ url, dataDir, ...options }: DatabaseOptions): Promise<Driver> =>
  url === undefined
    ? openSqlite({ ...options, file: fileIn(dataDir) })
    : openPostgres({ ...options, url })
