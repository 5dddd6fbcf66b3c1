import { readdirSync, readFileSync } from 'node:fs'
import { StoreRefused } from '../outages/store-refused.ts'

/** One change of the schema. */
export interface Migration {
  readonly version: number
  readonly purpose: string
  readonly text: string
}

export interface AppliedMigration {
  readonly version: number
  readonly purpose: string
}

const migrationsFolder = new URL('../../../migrations/', import.meta.url)

/** Reads `NNNN_purpose.sql` files, in order. */
export function readMigrations(folder: URL = migrationsFolder): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const { version, purpose } =
        /^(?<version>\d{4})_(?<purpose>\w+)\.sql$/.exec(name)?.groups ?? {}
      if (!version || !purpose) throw new Error(`Not named like a migration: ${name}`)
      return {
        version: Number(version),
        purpose,
        text: readFileSync(new URL(name, folder), 'utf8'),
      }
    })
}

/** The schema that a program with these migrations is made for. */
export const schemaOf = (migrations: readonly AppliedMigration[]): number =>
  Math.max(0, ...migrations.map(({ version }) => version))

/**
 * Whether a program that is made for one schema can work on a store that has another. An older schema is migrated at the
 * start; what a newer one expects of its rows nobody knows yet.
 */
export const canWorkOn = (madeFor: number, schema: number): boolean => schema <= madeFor

/** Decides which migrations to apply, in order; refuses a store with migrations it does not know. */
export function planMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration[] {
  const schema = schemaOf(applied)
  const madeFor = schemaOf(known)
  if (!canWorkOn(madeFor, schema)) {
    throw new StoreRefused(
      `The store has schema ${schema} and this program knows ${madeFor}: ` +
        'it was used by a newer version. Start that version, or restore a backup.',
    )
  }
  for (const { version, purpose } of applied) {
    if (known.some((migration) => migration.version === version && migration.purpose === purpose)) {
      continue
    }
    throw new StoreRefused(`The store has an unknown migration ${version} "${purpose}".`)
  }
  const pending = known.filter(({ version }) => !applied.some((done) => done.version === version))
  const late = pending.find(({ version }) => version < schema)
  if (late) throw new StoreRefused(`The store lacks migration ${late.version}, but has later ones.`)
  return pending
}
