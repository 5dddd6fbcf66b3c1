import pg from 'pg'
import { type ConstraintKind, ConstraintViolated } from '../constraint-violated.ts'
import { storeFull, storeUnavailable } from '../outages/store-unavailable.ts'

/** Maps an error to the store's own; the codes are SQLSTATEs, listed in PostgreSQL's appendix A. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) {
    return isConnectionError(error) ? storeUnavailable('The store does not answer.', error) : error
  }
  const code = error.code ?? ''
  const kind = constraintKinds[code]
  if (kind) return new ConstraintViolated(kind, error.message, { cause: error })
  if (code === diskFull) return storeFull(error)
  const isUnavailable = unavailableCodes.has(code) || unavailableClasses.has(code.slice(0, 2))
  return isUnavailable ? storeUnavailable('The store cannot do this now.', error) : error
}

/** Serialization failure or deadlock: this transaction was rolled back and can be retried. */
export const isConflict = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')

/** An error of the connection, not one that the server sent. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) return false
  const code = 'code' in error ? String(error.code) : undefined
  return code ? !defectCodes.test(code) : connectionMessages.test(error.message)
}

const diskFull = '53100'

const constraintKinds: Record<string, ConstraintKind> = {
  '23502': 'not-null',
  '23503': 'foreign-key',
  '23505': 'unique',
  '23514': 'check',
}

// 08 connection, 53 resources (memory, connections), 58 system (input/output).
const unavailableClasses = new Set(['08', '53', '58'])

const unavailableCodes = new Set([
  '25006', // read-only: a standby, or a primary that became one
  '25P03', // idle in transaction for too long
  '40001',
  '40P01',
  '55P03', // lock not available
  '57014', // cancelled by the statement timeout
  '57P01',
  '57P02',
  '57P03',
  '57P05',
])

// Node's codes for programming errors; those of sockets and TLS are connection errors.
const defectCodes = /^ERR_(?!SOCKET|STREAM|SSL|TLS)/

// `pg` gives its own connection errors no code.
const connectionMessages =
  /connection|timeout|not queryable|Client was closed|pool after calling end/i
