/** Links that sign a person in once. */
import { type Statement, sql } from '../statement.ts'

export const insertSignInLink = (row: {
  digest: string
  accountId: string
  passwordMark: string
  expiresAtMs: number
}): Statement<never> =>
  sql<never>`
    insert into sign_in_links (digest, account_id, password_mark, expires_at_ms)
    values (${row.digest}, ${row.accountId}, ${row.passwordMark}, ${row.expiresAtMs})`

/**
 * Removes the link and returns it with the stored password hash of its account: of two who use it at once,
 * one gets a row. There is none if the account is disabled.
 */
export const takeSignInLink = (digest: string, nowMs: number) =>
  sql<{ accountId: string; passwordMark: string; passwordHash: string | null }>`
    delete from sign_in_links
    where digest = ${digest} and expires_at_ms > ${nowMs}
    returning account_id as "accountId", password_mark as "passwordMark",
              (select password_hash from accounts
               where accounts.id = sign_in_links.account_id and is_enabled = 1) as "passwordHash"`

export const pruneSignInLinks = (nowMs: number): Statement<never> =>
  sql<never>`delete from sign_in_links where expires_at_ms <= ${nowMs}`
