import type { Log } from '../runtime/log.ts'
import type { Sealer } from '../runtime/seal.ts'
import type { Database } from './database.ts'
import { reseal } from './reseal.ts'
import { type SealedTableName, sealedTableNames, sealedTables } from './sealed-columns.ts'
import { findStoreProperty, putStoreProperty } from './store-properties-table.ts'

/** Which columns were walked through, separated by spaces. */
const property = 'plain_rows_sealed'

/**
 * Encrypts rows written by an earlier version, which stored some columns as plain text. It runs in the
 * background in small batches; after a shutdown the next start continues.
 */
export function startSealingOldRows(parts: {
  db: Database
  sealer: Sealer
  log: Log
}): AsyncDisposable {
  const stopping = new AbortController()
  const sealing = sealAll(parts, stopping.signal).catch((error) =>
    parts.log.warn(
      { err: error },
      'Failed to encrypt all rows of an earlier version; the next start continues.',
    ),
  )
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await sealing
    },
  }
}

async function sealAll(
  { db, sealer, log }: { db: Database; sealer: Sealer; log: Log },
  signal: AbortSignal,
): Promise<void> {
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
