/** The one table of the conformance suite. */
import type { Migration } from '../../src/storage/schema/migration.ts'
import { type SqlValue, type Statement, sql } from '../../src/storage/statement.ts'

export const itemsMigration: Migration = {
  version: 1,
  purpose: 'items',
  text: `
    create table items (
      name text primary key,
      amount bigint not null default 0 constraint amount_is_not_negative check (amount >= 0),
      content bytea,
      parent text references items (name)
    );
    create table item_notes (note text not null);`,
}

export const withItems = { migrations: [itemsMigration] }

export const addItem = (name: string, amount = 0): Statement<{ name: string }> =>
  sql`insert into items (name, amount) values (${name}, ${amount}) returning name`

export const addContent = (name: string, content: SqlValue): Statement<never> =>
  sql`insert into items (name, content) values (${name}, ${content})`

export const findItem = (name: string): Statement<{ name: string; amount: number }> =>
  sql`select name, amount from items where name = ${name}`

export const listNames = (): Statement<string> =>
  sql<{ name: string }>`select name from items order by name`.map(({ name }) => name)
