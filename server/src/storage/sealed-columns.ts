import type { Sealer } from '../runtime/seal.ts'

/** A table some of whose columns are encrypted, and what it takes to walk through it. */
export interface SealedTable {
  /** The primary key; the first column is the row's id in its `place` unless `id` says otherwise. */
  readonly key: readonly string[]
  readonly id?: string
  /** SQL that gives the account a row belongs to. */
  readonly account: string
  readonly columns: readonly string[]
}

/**
 * Every encrypted column. What callers ask for may hold passwords, cookies and tokens anywhere, and so
 * may what targets and receivers answer; page bodies and images are content and stay as they are.
 */
export const sealedTables = {
  signing_secrets: { key: ['id'], account: 'account_id', columns: ['sealed'] },
  tasks: {
    key: ['id'],
    account: 'account_id',
    columns: ['request', 'callback_url', 'metadata', 'error_message'],
  },
  results: {
    key: ['task_id'],
    account: '(select account_id from tasks where tasks.id = results.task_id)',
    columns: ['facts'],
  },
  delivery_attempts: {
    key: ['delivery_id', 'number'],
    account: '(select account_id from deliveries where deliveries.id = delivery_id)',
    columns: ['answer_excerpt'],
  },
  // A digest of a body that has a short secret in it could be guessed.
  idempotency_records: {
    key: ['account_id', 'idempotency_key'],
    id: 'idempotency_key',
    account: 'account_id',
    columns: ['fingerprint'],
  },
} as const satisfies Record<string, SealedTable>

type Tables = typeof sealedTables

/** `table.column` */
export type SealedColumn = {
  [Table in keyof Tables]: `${Table}.${Tables[Table]['columns'][number]}`
}[keyof Tables]

/** Which row a text belongs to; no other row, account or column can open it. */
export interface SealedPlace {
  id: string
  accountId: string
}

export const sealColumn = (
  sealer: Sealer,
  column: SealedColumn,
  place: SealedPlace,
  text: string,
): string => sealer.seal(text, placeText(column, place))

/** A row that was written before its column was encrypted is read as it is; signing secrets always were. */
export const openColumn = (
  sealer: Sealer,
  column: SealedColumn,
  place: SealedPlace,
  text: string,
): string =>
  column !== 'signing_secrets.sealed' && sealer.stateOf(text) === 'plain'
    ? text
    : sealer.open(text, placeText(column, place))

function placeText(column: SealedColumn, { id, accountId }: SealedPlace): string {
  // The first column that ever was encrypted; its texts go by the name of their table.
  const name = column === 'signing_secrets.sealed' ? 'signing_secrets' : column
  return `${name} ${id} ${accountId}`
}
