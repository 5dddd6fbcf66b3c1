import type { Sealer } from '../../runtime/crypto/seal.ts'
import type { Log } from '../../runtime/log.ts'
import type { Database } from '../database.ts'

export interface UpgradeParts {
  db: Database
  sealer: Sealer
  log: Log
}

/** Changes rows of earlier versions in small batches, until the signal. It notes in the store that it is done. */
export type RowUpgrade = (parts: UpgradeParts, signal: AbortSignal) => Promise<void>
