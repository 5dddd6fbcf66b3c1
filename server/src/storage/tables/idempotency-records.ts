import type { Sealer } from '../../runtime/crypto/seal.ts'
import { openColumn, sealColumn } from '../secrets/sealed-columns.ts'
import { sql } from '../statement.ts'

export interface IdempotencyRecord {
  accountId: string
  key: string
  fingerprint: string
  taskId: string
}

export const forgetIdempotencyRecord = (record: {
  accountId: string
  key: string
  createdBeforeMs: number
}) =>
  sql<never>`
    delete from idempotency_records
    where account_id = ${record.accountId} and idempotency_key = ${record.key}
      and created_at_ms < ${record.createdBeforeMs}`

/** Returns a row unless the account has used the idempotency key before. */
export const insertIdempotencyRecord = (
  sealer: Sealer,
  record: IdempotencyRecord & { nowMs: number },
) =>
  sql<{ task_id: string }>`
    insert into idempotency_records
      (account_id, idempotency_key, fingerprint, task_id, created_at_ms)
    values (${record.accountId}, ${record.key},
            ${sealColumn(sealer, fingerprint, placeOf(record), record.fingerprint)},
            ${record.taskId}, ${record.nowMs})
    on conflict (account_id, idempotency_key) do nothing
    returning task_id`.contendedAs(`${record.accountId} ${record.key}`)

export const findIdempotencyRecord = (sealer: Sealer, record: { accountId: string; key: string }) =>
  sql<{ fingerprint: string; taskId: string; createdAtMs: number }>`
    select fingerprint, task_id as "taskId", created_at_ms as "createdAtMs"
    from idempotency_records
    where account_id = ${record.accountId} and idempotency_key = ${record.key}`.map((row) => ({
    ...row,
    fingerprint: openColumn(sealer, fingerprint, placeOf(record), row.fingerprint),
  }))

const fingerprint = 'idempotency_records.fingerprint'

const placeOf = ({ accountId, key }: { accountId: string; key: string }) => ({ id: key, accountId })

export const pruneIdempotencyRecords = (createdBeforeMs: number) =>
  sql<never>`delete from idempotency_records where created_at_ms < ${createdBeforeMs}`
