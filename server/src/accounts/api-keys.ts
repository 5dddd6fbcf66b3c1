import { randomBytes } from 'node:crypto'
import type { ApiKey } from '../domain/account/account.ts'
import { digestOf, formatApiKey, labelOf } from '../domain/account/api-key.ts'
import { Failure } from '../domain/failure.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import { RequirementUnmet, type Statement } from '../storage/statement.ts'
import { lockAccount } from '../storage/tables/accounts.ts'
import {
  dropRevokedApiKeys,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
  withinKeysMax,
} from '../storage/tables/api-keys.ts'

/** A caller who creates a key for every request would fill the store. */
const keysMax = 1_000
const revokedKeysMax = 100

export type ApiKeys = ReturnType<typeof createApiKeys>

/** The keys of an account. `onRevoked` is called after a key was revoked, so that caches are cleared. */
export function createApiKeys(db: Database, onRevoked: () => void) {
  return {
    list: async (accountId: string): Promise<ApiKey[]> =>
      (await db.run(listApiKeys(accountId))).filter(({ revokedAtMs }) => revokedAtMs === null),
    async create(accountId: string, name: string): Promise<ApiKey & { key: string }> {
      const { id, key, createdAtMs } = await createKey(db, accountId, name)
      return {
        id,
        key,
        name,
        label: labelOf(key),
        createdAtMs,
        lastUsedAtMs: null,
        revokedAtMs: null,
      }
    },
    async revoke(accountId: string, id: string): Promise<void> {
      const isRevoked = await tryRevoking(db, { accountId, id })
      // The message names no id, so that keys of other accounts look like keys that never were.
      if (!isRevoked) throw new Failure('NOT_FOUND', 'There is no such key.')
      onRevoked()
    },
  }
}

/** Creates an API key. Only the return value has the key itself; the store has its digest. */
export async function createKey(
  db: Database,
  accountId: string,
  name = '',
): Promise<{ id: string; key: string; createdAtMs: number }> {
  const created = { id: sortableId(), key: formatApiKey(randomBytes(32)) }
  const nowMs = db.nowMs()
  try {
    await db.transaction([
      lockAccount(accountId),
      keyRow({ accountId, name, ...created, nowMs }),
      withinKeysMax(accountId, keysMax).required('few keys'),
    ])
  } catch (error) {
    if (!(error instanceof RequirementUnmet)) throw error
    throw new Failure('CONFLICT', `An account may have ${keysMax} keys. Revoke one first.`)
  }
  return { ...created, createdAtMs: nowMs }
}

export async function revokeKey(
  db: Database,
  { accountId, id }: { accountId: string; id: string },
): Promise<void> {
  if (!(await tryRevoking(db, { accountId, id }))) {
    throw new Failure('NOT_FOUND', `The account has no key ${id}, or it was revoked already.`)
  }
}

/** Returns false for a key that the account does not have, or that was revoked already. */
const tryRevoking = async (
  db: Database,
  { accountId, id }: { accountId: string; id: string },
): Promise<boolean> => {
  const [revoked] = await db.transaction([
    revokeApiKey({ id, accountId, nowMs: db.nowMs() }),
    dropRevokedApiKeys(accountId, revokedKeysMax),
  ])
  return revoked.length > 0
}

export const keyRow = (row: {
  accountId: string
  name?: string
  id: string
  key: string
  nowMs: number
}): Statement<never> =>
  insertApiKey({
    id: row.id,
    accountId: row.accountId,
    digest: digestOf(row.key),
    ...(row.name !== undefined && { name: row.name }),
    label: labelOf(row.key),
    nowMs: row.nowMs,
  })
