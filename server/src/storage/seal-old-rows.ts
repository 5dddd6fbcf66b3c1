import type { Log } from '../runtime/log.ts'
import type { Sealer } from '../runtime/seal.ts'
import type { Database } from './database.ts'
import { reseal } from './reseal.ts'
import { findStoreProperty, putStoreProperty } from './store-properties-table.ts'

const property = 'plain_rows_sealed'

/**
 * Encrypts rows written by an earlier version, which stored requests and results as plain text. It runs
 * in the background in small batches; after a shutdown the next start continues.
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
  if ((await db.run(findStoreProperty(property))).length > 0) return
  const { sealed } = await reseal({ db, sealer }, { from: ['plain'], signal })
  if (signal.aborted) return
  await db.run(putStoreProperty({ name: property, value: 'done' }))
  if (sealed > 0) log.info({ texts: sealed }, 'Encrypted the rows of an earlier version.')
}
