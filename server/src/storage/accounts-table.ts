import type { Account } from '../domain/account/account.ts'
import { forUpdate, type Statement, sql } from './statement.ts'

export const insertAccount = (account: Account & { passwordHash: string }): Statement<never> =>
  sql<never>`
    insert into accounts (id, username, password_hash, is_enabled, created_at_ms)
    values (${account.id}, ${account.username}, ${account.passwordHash},
            ${account.isEnabled ? 1 : 0}, ${account.createdAtMs})`

/** Inserts the account only if it is the first one; returns a row if it did. */
export const insertFirstAccount = (
  account: Account & { passwordHash: string },
): Statement<{ id: string }> =>
  sql<{ id: string }>`
    insert into accounts (id, username, password_hash, is_enabled, created_at_ms)
    select ${account.id}, ${account.username}, ${account.passwordHash}, 1, ${account.createdAtMs}
    where not exists (select 1 from accounts)
    returning id`

export const findAccountByUsername = (
  username: string,
): Statement<Account & { passwordHash: string }> =>
  sql<AccountRow>`
    select id, username, password_hash, is_enabled, created_at_ms
    from accounts
    where username = ${username}`
    .map(toAccount)
    .quick()

export const findAccountOfTask = (taskId: string): Statement<Account> =>
  sql<AccountRow>`
    select accounts.id, username, password_hash, is_enabled, accounts.created_at_ms
    from tasks join accounts on accounts.id = tasks.account_id
    where tasks.id = ${taskId}`
    .map(toAccount)
    .map(({ passwordHash, ...account }) => account)

/** Row lock: changes to what one account owns wait for each other, so limits on counts hold. */
export const lockAccount = (accountId: string): Statement<{ id: string }> =>
  sql<{ id: string }>`select id from accounts where id = ${accountId} ${forUpdate}`

export const listAccounts = (): Statement<Account> =>
  sql<AccountRow>`
    select id, username, password_hash, is_enabled, created_at_ms
    from accounts
    order by created_at_ms, id`
    .map(toAccount)
    .map(({ passwordHash, ...account }) => account)

export const setAccountEnabled = (change: {
  username: string
  isEnabled: boolean
}): Statement<{ id: string }> =>
  sql<{ id: string }>`
    update accounts
    set is_enabled = ${change.isEnabled ? 1 : 0}
    where username = ${change.username}
    returning id`

export const setPasswordHash = (change: {
  username: string
  passwordHash: string
}): Statement<{ id: string }> =>
  sql<{ id: string }>`
    update accounts
    set password_hash = ${change.passwordHash}
    where username = ${change.username}
    returning id`

interface AccountRow {
  id: string
  username: string
  password_hash: string
  is_enabled: number
  created_at_ms: number
}

const toAccount = (row: AccountRow): Account & { passwordHash: string } => ({
  id: row.id,
  username: row.username,
  passwordHash: row.password_hash,
  isEnabled: row.is_enabled === 1,
  createdAtMs: row.created_at_ms,
})
