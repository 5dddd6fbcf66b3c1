import type { Account, ApiKey } from '../../domain/account/account.ts'
import { sql } from '../statement.ts'

export const insertApiKey = (key: {
  id: string
  accountId: string
  digest: string
  name?: string
  label: string
  nowMs: number
}) =>
  sql<never>`
    insert into api_keys (id, account_id, digest, name, label, created_at_ms)
    values (${key.id}, ${key.accountId}, ${key.digest}, ${key.name ?? ''}, ${key.label}, ${key.nowMs})`

/** Returns no row where the account has so many keys, revoked ones aside. */
export const withinKeysMax = (accountId: string, keysMax: number) =>
  sql<{ id: string }>`
    select id from accounts
    where id = ${accountId}
      and (select count(*) from api_keys
           where account_id = ${accountId} and revoked_at_ms is null) <= ${keysMax}`

/** The account that owns the key; no row when the key was revoked or the account is disabled. */
export const findApiKeyOwner = (digest: string) =>
  sql<Omit<Account, 'isEnabled'> & { keyId: string }>`
    select accounts.id, accounts.username, accounts.created_at_ms as "createdAtMs",
           api_keys.id as "keyId"
    from api_keys
    join accounts on accounts.id = api_keys.account_id
    where api_keys.digest = ${digest} and api_keys.revoked_at_ms is null and accounts.is_enabled = 1`.map(
    (row) => ({ ...row, isEnabled: true }),
  )

export const listApiKeys = (accountId: string) =>
  sql<ApiKey>`
    select id, name, label, created_at_ms as "createdAtMs", last_used_at_ms as "lastUsedAtMs",
           revoked_at_ms as "revokedAtMs"
    from api_keys
    where account_id = ${accountId}
    order by created_at_ms, id`

export const touchApiKey = (keyId: string, nowMs: number) =>
  sql<never>`update api_keys set last_used_at_ms = ${nowMs} where id = ${keyId}`

/**
 * Leaves the last ones for the list of the operator, and those by which somebody had signed in. Two at
 * once would wait for each other's rows.
 */
export const dropRevokedApiKeys = (accountId: string, keptCount: number) =>
  sql<never>`
    delete from api_keys
    where account_id = ${accountId} and revoked_at_ms is not null
      and not exists (
        select 1 from sign_ins where account_id = ${accountId} and api_key_id = api_keys.id)
      and id not in (
        select id from api_keys
        where account_id = ${accountId} and revoked_at_ms is not null
        order by revoked_at_ms desc, id desc
        limit ${keptCount})`.inTurnOf(accountId)

export const revokeApiKey = (key: { id: string; accountId: string; nowMs: number }) =>
  sql<{ id: string }>`
    update api_keys
    set revoked_at_ms = ${key.nowMs}
    where id = ${key.id} and account_id = ${key.accountId} and revoked_at_ms is null
    returning id`
