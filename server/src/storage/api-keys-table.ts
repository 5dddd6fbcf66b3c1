import type { Account, ApiKey } from '../domain/account/account.ts'
import { type Statement, sql } from './statement.ts'

export const insertApiKey = (key: {
  id: string
  accountId: string
  digest: string
  label: string
  nowMs: number
}): Statement<never> =>
  sql<never>`
    insert into api_keys (id, account_id, digest, label, created_at_ms)
    values (${key.id}, ${key.accountId}, ${key.digest}, ${key.label}, ${key.nowMs})`

/** The account that owns the key; no row when the key was revoked or the account is disabled. */
export const findApiKeyOwner = (digest: string): Statement<Account & { keyId: string }> =>
  sql<KeyOwnerRow>`
    select accounts.id, accounts.username, accounts.created_at_ms, api_keys.id as key_id
    from api_keys
    join accounts on accounts.id = api_keys.account_id
    where api_keys.digest = ${digest} and api_keys.revoked_at_ms is null and accounts.is_enabled = 1`.map(
    (row) => ({
      id: row.id,
      username: row.username,
      isEnabled: true,
      createdAtMs: row.created_at_ms,
      keyId: row.key_id,
    }),
  )

export const listApiKeys = (accountId: string): Statement<ApiKey> =>
  sql<KeyRow>`
    select id, label, created_at_ms, last_used_at_ms, revoked_at_ms
    from api_keys
    where account_id = ${accountId}
    order by created_at_ms, id`.map(toApiKey)

export const touchApiKey = (keyId: string, nowMs: number): Statement<never> =>
  sql<never>`update api_keys set last_used_at_ms = ${nowMs} where id = ${keyId}`

export const revokeApiKey = (key: {
  id: string
  accountId: string
  nowMs: number
}): Statement<{ id: string }> =>
  sql<{ id: string }>`
    update api_keys
    set revoked_at_ms = ${key.nowMs}
    where id = ${key.id} and account_id = ${key.accountId} and revoked_at_ms is null
    returning id`

interface KeyOwnerRow {
  id: string
  username: string
  created_at_ms: number
  key_id: string
}

interface KeyRow {
  id: string
  label: string
  created_at_ms: number
  last_used_at_ms: number | null
  revoked_at_ms: number | null
}

const toApiKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  label: row.label,
  createdAtMs: row.created_at_ms,
  lastUsedAtMs: row.last_used_at_ms ?? undefined,
  revokedAtMs: row.revoked_at_ms ?? undefined,
})
