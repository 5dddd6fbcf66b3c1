import { reseal } from '../secrets/reseal.ts'
import { type SealedTableName, sealedTableNames, sealedTables } from '../secrets/sealed-columns.ts'
import { findStoreProperty, putStoreProperty } from '../tables/store-properties.ts'
import type { RowUpgrade } from './row-upgrade.ts'

/** Which columns were walked through, separated by spaces. */
const property = 'plain_rows_sealed'

/** Encrypts rows written by an earlier version, which stored some columns as plain text. */
export const sealPlainRows: RowUpgrade = async ({ db, sealer, log }, signal) => {
  const [done = ''] = await db.run(findStoreProperty(property))
  const tables = sealedTableNames.filter((name) => !columnsOf(name).every(isIn(done)))
  if (tables.length === 0) return
  const { sealed } = await reseal({ db, sealer }, { from: ['plain'], tables, signal })
  if (signal.aborted) return
  const value = sealedTableNames.flatMap(columnsOf).join(' ')
  await db.run(putStoreProperty({ name: property, value }))
  if (sealed > 0) log.info({ texts: sealed }, 'Encrypted the rows of an earlier version.')
}

const columnsOf = (name: SealedTableName): string[] =>
  sealedTables[name].columns.map((column) => `${name}.${column}`)

/** Versions that encrypted no URLs of webhooks wrote `done` instead of the names of columns. */
const isIn = (done: string) => {
  const columns = done.split(' ')
  return (column: string): boolean =>
    columns.includes(column) || (done === 'done' && column !== 'webhooks.url')
}
