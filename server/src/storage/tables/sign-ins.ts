import type { Account } from '../../domain/account/account.ts'
import type { SignIn } from '../../domain/account/sign-in.ts'
import { type Statement, skipLocked, sql } from '../statement.ts'

export const insertSignIn = (row: {
  digest: string
  accountId: string
  apiKeyId: string | null
  passwordMark: string | null
  nowMs: number
}): Statement<never> =>
  sql<never>`
    insert into sign_ins (digest, account_id, api_key_id, password_mark, created_at_ms, last_used_at_ms)
    values (${row.digest}, ${row.accountId}, ${row.apiKeyId}, ${row.passwordMark}, ${row.nowMs}, ${row.nowMs})`

/** No row when the account is disabled or the API key was revoked; the caller compares the mark and the times. */
export const findSignIn = (digest: string) =>
  sql<
    SignIn &
      Pick<Account, 'username'> & {
        accountCreatedAtMs: number
        passwordMark: string | null
        passwordHash: string
      }
  >`
    select sign_ins.account_id as "accountId", sign_ins.api_key_id as "apiKeyId",
           sign_ins.password_mark as "passwordMark", sign_ins.created_at_ms as "createdAtMs",
           sign_ins.last_used_at_ms as "lastUsedAtMs", accounts.username,
           accounts.created_at_ms as "accountCreatedAtMs", accounts.password_hash as "passwordHash"
    from sign_ins
    join accounts on accounts.id = sign_ins.account_id
    left join api_keys on api_keys.id = sign_ins.api_key_id
    where sign_ins.digest = ${digest} and accounts.is_enabled = 1 and api_keys.revoked_at_ms is null`

export const touchSignIn = (digest: string, nowMs: number): Statement<never> =>
  sql<never>`update sign_ins set last_used_at_ms = ${nowMs} where digest = ${digest}`

export const deleteSignIn = (digest: string): Statement<never> =>
  sql<never>`delete from sign_ins where digest = ${digest}`

/**
 * Keeps so many of the account's sessions, the last used: of those begun with a key, or of the others, so
 * that whoever has a key cannot sign out who has the password.
 */
export const evictSignIns = (limits: {
  accountId: string
  isByKey: boolean
  keptMax: number
}): Statement<never> =>
  sql<never>`
    delete from sign_ins
    where digest in (
      select digest from sign_ins
      where account_id = ${limits.accountId}
        and case when api_key_id is null then 0 else 1 end = ${limits.isByKey ? 1 : 0}
      order by last_used_at_ms desc, digest limit 100 offset ${limits.keptMax} ${skipLocked})`.inTurnOf(
    limits.accountId,
  )

/** Removes some of those that were not used since then; returns a row for each. */
export const pruneSignIns = (limits: { usedBeforeMs: number; signInsMax: number }) =>
  sql<{ digest: string }>`
    delete from sign_ins
    where digest in (
      select digest from sign_ins where last_used_at_ms < ${limits.usedBeforeMs}
      order by last_used_at_ms limit ${limits.signInsMax} ${skipLocked})
    returning digest`
