/** Which migrations the store has had: its schema is the highest of them. */
import type { AppliedMigration } from '../schema/migration.ts'
import { type Statement, sql, sqlValue } from '../statement.ts'

export const createHistory = () => sql`
  create table if not exists schema_migrations (
    version bigint primary key,
    purpose text not null,
    applied_at_ms bigint not null
  )`

export const listApplied = () => sql<AppliedMigration>`
  select version, purpose from schema_migrations order by version`

export const findSchemaVersion = (): Statement<number> =>
  sqlValue<number | null>`select max(version) from schema_migrations`.map((version) => version ?? 0)

export const addApplied = (migration: AppliedMigration, nowMs: number) => sql`
  insert into schema_migrations (version, purpose, applied_at_ms)
  values (${migration.version}, ${migration.purpose}, ${nowMs})`
