import { randomBytes } from 'node:crypto'
import { digestOf, formatApiKey, labelOf } from '../domain/account/api-key.ts'
import { Failure } from '../domain/failure.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import { insertApiKey, revokeApiKey } from '../storage/api-keys-table.ts'
import type { Database } from '../storage/database.ts'
import type { Statement } from '../storage/statement.ts'

/** Creates an API key. Only the return value has the key itself; the store has its digest. */
export async function createKey(
  db: Database,
  accountId: string,
): Promise<{ id: string; key: string }> {
  const created = { id: sortableId(), key: formatApiKey(randomBytes(32)) }
  await db.run(keyRow({ accountId, ...created, nowMs: db.nowMs() }))
  return created
}

export async function revokeKey(
  db: Database,
  { accountId, id }: { accountId: string; id: string },
): Promise<void> {
  const revoked = await db.run(revokeApiKey({ id, accountId, nowMs: db.nowMs() }))
  if (revoked.length === 0) {
    throw new Failure('NOT_FOUND', `The account has no key ${id}, or it was revoked already.`)
  }
}

export const keyRow = (row: {
  accountId: string
  id: string
  key: string
  nowMs: number
}): Statement<never> =>
  insertApiKey({
    id: row.id,
    accountId: row.accountId,
    digest: digestOf(row.key),
    label: labelOf(row.key),
    nowMs: row.nowMs,
  })
