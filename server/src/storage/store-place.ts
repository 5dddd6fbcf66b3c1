import { join } from 'node:path'
import { StoreRefused } from './outages/store-refused.ts'
import { isStoreUnavailable } from './outages/store-unavailable.ts'

interface StoreOptions {
  /** `postgres://…`; without it the store is a file in `dataDir`. */
  readonly url?: string | undefined
  readonly dataDir: string
}

/** Where the store is, for messages; the user and the password are redacted. */
export function placeOf({ url, dataDir }: StoreOptions): string {
  if (url === undefined) return fileIn(dataDir)
  if (!/^postgres(?:ql)?:/.test(url) || !URL.canParse(url)) {
    throw new StoreRefused('The database URL must begin with postgres:// or postgresql://.')
  }
  const { host, pathname } = new URL(url)
  return `postgres://${host}${pathname}`
}

export const fileIn = (dataDir: string): string => join(dataDir, 'trawl.db')

/** An outage during a start or a command, as the operator gets it: with the place of the store. */
export const namingStore = (error: unknown, store: StoreOptions): unknown =>
  isStoreUnavailable(error) ? toRefusal(error, placeOf(store)) : error

export function toRefusal(error: unknown, place: string): Error {
  if (error instanceof StoreRefused) return error
  if (!(error instanceof Error)) return new Error(String(error))
  const reason = isStoreUnavailable(error) && error.cause instanceof Error ? error.cause : error
  return new StoreRefused(`The store ${place} cannot be opened: ${messageOf(reason)}`, {
    cause: error,
  })
}

/** A connection attempt to several addresses fails with an AggregateError without a message. */
const messageOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map(String).join('; ') : error.message
