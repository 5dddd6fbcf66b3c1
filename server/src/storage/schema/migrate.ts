import type { Log } from '../../runtime/log.ts'
import { ConstraintViolated } from '../constraint-violated.ts'
import type { Driver } from '../database.ts'
import { StoreRefused } from '../outages/store-refused.ts'
import { isStoreUnavailable } from '../outages/store-unavailable.ts'
import { DialectSlot, script, sql } from '../statement.ts'
import { addApplied, createHistory, listApplied } from '../tables/schema-migrations.ts'
import { type Migration, planMigrations } from './migration.ts'

// A migration may rewrite a large table.
const migrationLimits = { deadlineMs: 30 * 60_000 }

/**
 * Brings the schema up to date. Any number of processes may do this at once: they wait for each other
 * at the lock, and the version's row, which is written first, makes the later one fail and skip.
 */
export async function migrate(
  database: Driver,
  { migrations, log }: { migrations: readonly Migration[]; log: Log },
): Promise<void> {
  await database.transaction([takeLock(), createHistory()], migrationLimits)
  for (const migration of planMigrations(migrations, await database.run(listApplied()))) {
    const isOurs = await apply(database, migration)
    if (isOurs) log.info({ migration: migration.version }, `Migrated: ${migration.purpose}.`)
  }
}

/** False if another process has applied it. */
async function apply(database: Driver, migration: Migration): Promise<boolean> {
  const steps = [takeLock(), addApplied(migration, database.nowMs()), script(migration.text)]
  try {
    await database.transaction(steps, migrationLimits)
    return true
  } catch (error) {
    if (error instanceof ConstraintViolated && (await isApplied(database, migration))) return false
    if (isStoreUnavailable(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreRefused(`Migration ${migration.version} failed: ${reason}`, { cause: error })
  }
}

async function isApplied(database: Driver, migration: Migration): Promise<boolean> {
  const applied = await database.run(listApplied())
  return applied.some(({ version }) => version === migration.version)
}

const takeLock = () => sql`${new DialectSlot('migrationLock')}`
