import { randomBytes } from 'node:crypto'
import { digestOf, formatApiKey, labelOf } from '../domain/account/api-key.ts'
import { Failure } from '../domain/failure.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import { insertApiKey, revokeApiKey } from '../storage/api-keys-table.ts'
import type { Database } from '../storage/database.ts'
import type { Statement } from '../storage/statement.ts'

/** Makes another key for an account; the key itself is in the answer and nowhere else. */
export async function createKey(
  db: Database,
  accountId: string,
): Promise<{ id: string; key: string }> {
  const made = { id: sortableId(), key: formatApiKey(randomBytes(32)) }
  await db.run(keyRow({ accountId, ...made, nowMs: db.nowMs() }))
  return made
}

export async function revokeKey(
  db: Database,
  { accountId, id }: { accountId: string; id: string },
): Promise<void> {
  const revoked = await db.run(revokeApiKey({ id, accountId, nowMs: db.nowMs() }))
  if (revoked.length === 0) {
    throw new Failure('NOT_FOUND', 'There is no such key, or it was revoked before.')
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
