import { DialectSlot, sqlValue } from './statement.ts'

/** How much space the store takes, without its write-ahead log. */
export const readStoreBytes = () => sqlValue<number>`select ${new DialectSlot('storeBytes')}`
