import { DialectSlot, type Statement, sql } from './statement.ts'

/** How much space the store takes, without its write-ahead log. */
export const readStoreBytes = (): Statement<number> =>
  sql<{ store_bytes: number }>`select ${new DialectSlot('storeBytes')} as store_bytes`.map(
    ({ store_bytes }) => store_bytes,
  )
