import { type ConstraintKind, ConstraintViolated } from '../constraint-violated.ts'
import { storeFull, storeUnavailable } from '../outages/store-unavailable.ts'
import type { CallError } from './sqlite-messages.ts'

/** The file belongs to another program; the message names it. */
export class NotOurStore extends Error {}

/** The path of the store leads to no file or to another one; the message names it. */
export class FileLost extends Error {
  constructor(file: string) {
    super(
      `${file} was deleted or replaced while the service runs, so nothing is written to it. Move it back, or stop the service and start it again.`,
    )
  }
}

/** Classifies an error of SQLite; the codes are those of sqlite.org/rescode.html. */
export function toCallError(error: unknown): CallError {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof NotOurStore) return { problem: 'unavailable', message, isRefusal: true }
  if (error instanceof FileLost) {
    return { problem: 'unavailable', message, isRefusal: false, isFileLost: true }
  }
  const code = sqliteCodeOf(error)
  const kind = constraintKinds[code]
  if (kind) return { problem: 'constraint', kind, message }
  const name = unavailableCodes[code & 0xff]
  if (name) {
    const isRefusal = refusalCodes.has(code & 0xff)
    const named = `${message} (${name}, ${code})`
    return { problem: 'unavailable', message: named, isRefusal, isFull: isFull(error) }
  }
  return { problem: 'defect', message }
}

/** After these errors the next call opens a new connection. */
export const breaksConnection = (error: unknown): boolean =>
  error instanceof NotOurStore || refusalCodes.has(sqliteCodeOf(error) & 0xff)

export const isBusy = (error: unknown): boolean => (sqliteCodeOf(error) & 0xff) === 5

export const isFull = (error: unknown): boolean => (sqliteCodeOf(error) & 0xff) === full

/** The error that the caller gets, created in the caller's thread. */
export function fromCallError(error: Exclude<CallError, { problem: 'requirement' }>): Error {
  if (error.problem === 'constraint') return new ConstraintViolated(error.kind, error.message)
  if (error.problem === 'unavailable') {
    const cause = new Error(error.message)
    if (error.isFull) return storeFull(cause)
    return storeUnavailable(
      error.isFileLost ? fileLostMessage : 'The store cannot do this now.',
      cause,
    )
  }
  return new Error(`SQLite: ${error.message}`)
}

/** For callers, who need not know where the file is. */
const fileLostMessage =
  'The file of the store was deleted or replaced, so nothing can be stored. The operator has to bring it back or restart the service.'

function sqliteCodeOf(error: unknown): number {
  const hasCode = error instanceof Error && 'errcode' in error
  return hasCode && typeof error.errcode === 'number' ? error.errcode : 0
}

const constraintKinds: Record<number, ConstraintKind> = {
  275: 'check',
  787: 'foreign-key',
  1299: 'not-null',
  1555: 'unique', // primary key
  2067: 'unique',
  2579: 'unique', // rowid
}

const full = 13

const unavailableCodes: Record<number, string> = {
  3: 'no permission',
  5: 'busy',
  6: 'locked',
  7: 'out of memory',
  8: 'read-only',
  9: 'interrupted',
  10: 'input/output error',
  11: 'corrupt',
  [full]: 'full',
  14: 'cannot open',
  15: 'locking protocol',
  26: 'not a database',
}

// At startup these mean that the file cannot be used; later they may pass.
const refusalCodes = new Set([3, 8, 10, 11, 14, 26])
