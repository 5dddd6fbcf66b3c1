import type { Sealer } from '../../runtime/crypto/seal.ts'

/** A table with encrypted columns, described so that `reseal` can walk through it. */
export interface SealedTable {
  /** The primary key; the first column is the row's id in its `place` unless `id` says otherwise. */
  readonly key: readonly string[]
  readonly id?: string
  /** SQL for the account that a row belongs to. */
  readonly account: string
  readonly columns: readonly string[]
}

/**
 * Every encrypted column. Requests may hold passwords, cookies and tokens anywhere, and so may responses
 * of targets and receivers. Page bodies and screenshots are content and stay unencrypted.
 */
export const sealedTables = {
  signing_secrets: { key: ['id'], account: 'account_id', columns: ['sealed'] },
  webhooks: { key: ['id'], account: 'account_id', columns: ['url'] },
  tasks: {
    key: ['id'],
    account: 'account_id',
    columns: ['request', 'listing', 'callback_url', 'metadata', 'error_message'],
  },
  jobs: {
    key: ['id'],
    account: 'account_id',
    columns: ['request', 'listing', 'invalid_urls', 'callback_url', 'error_message'],
  },
  crawl_pages: {
    key: ['job_id', 'url_key'],
    id: 'url_key',
    account: 'account_id',
    columns: ['url'],
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
  // A short secret in a body could be guessed from the body's digest.
  idempotency_records: {
    key: ['account_id', 'idempotency_key'],
    id: 'idempotency_key',
    account: 'account_id',
    columns: ['fingerprint'],
  },
  sessions: {
    key: ['account_id', 'name'],
    id: 'name',
    account: 'account_id',
    columns: ['contents'],
  },
} as const satisfies Record<string, SealedTable>

type Tables = typeof sealedTables

export type SealedTableName = keyof Tables

export const sealedTableNames = Object.keys(sealedTables) as SealedTableName[]

/** `table.column` */
export type SealedColumn = {
  [Table in keyof Tables]: `${Table}.${Tables[Table]['columns'][number]}`
}[keyof Tables]

/** The row that a text is bound to: copied into another row, account or column it does not decrypt. */
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

/** Rows written before their column was encrypted are plain text; signing secrets were never plain. */
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
  // The texts of this column, the first to be encrypted, are bound to the table's name alone.
  const name = column === 'signing_secrets.sealed' ? 'signing_secrets' : column
  return `${name} ${id} ${accountId}`
}
