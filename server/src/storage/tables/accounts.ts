import type { Account } from '../../domain/account/account.ts'
import { forNoKeyUpdate, sql, sqlValue } from '../statement.ts'

export const insertAccount = (account: Account & { passwordHash: string }) =>
  sql<never>`
    insert into accounts (id, username, password_hash, is_enabled, created_at_ms)
    values (${account.id}, ${account.username}, ${account.passwordHash},
            ${account.isEnabled ? 1 : 0}, ${account.createdAtMs})`

/** Inserts the account only if it is the first one; returns a row if it did. */
export const insertFirstAccount = (account: Account & { passwordHash: string }) =>
  sql<{ id: string }>`
    insert into accounts (id, username, password_hash, is_enabled, created_at_ms)
    select ${account.id}, ${account.username}, ${account.passwordHash}, 1, ${account.createdAtMs}
    where not exists (select 1 from accounts)
    returning id`

export const findAccountByUsername = (username: string) =>
  sql<AccountRow & { passwordHash: string }>`
    select id, username, password_hash as "passwordHash", is_enabled as "isEnabled",
           created_at_ms as "createdAtMs"
    from accounts
    where username = ${username}`
    .map(toAccount)
    .quick()

export const findAccountOfTask = (taskId: string) =>
  sql<AccountRow>`
    select accounts.id, username, is_enabled as "isEnabled", accounts.created_at_ms as "createdAtMs"
    from tasks join accounts on accounts.id = tasks.account_id
    where tasks.id = ${taskId}`.map(toAccount)

/** Row lock: changes to what one account owns wait for each other, so limits on counts hold. */
export const lockAccount = (accountId: string) =>
  sql<{ id: string }>`select id from accounts where id = ${accountId} ${forNoKeyUpdate}`.inTurnOf(
    accountId,
  )

export const listAccounts = () =>
  sql<AccountRow>`
    select id, username, is_enabled as "isEnabled", created_at_ms as "createdAtMs"
    from accounts
    order by created_at_ms, id`.map(toAccount)

/** The account that was created first, which is the operator's. */
export const findFirstAccountId = () =>
  sqlValue<string>`select id from accounts order by created_at_ms, id limit 1`

export const setAccountEnabled = (change: { username: string; isEnabled: boolean }) =>
  sql<{ id: string }>`
    update accounts
    set is_enabled = ${change.isEnabled ? 1 : 0}
    where username = ${change.username}
    returning id`

export const setPasswordHash = (change: { username: string; passwordHash: string }) =>
  sql<{ id: string }>`
    update accounts
    set password_hash = ${change.passwordHash}
    where username = ${change.username}
    returning id`

interface AccountRow extends Omit<Account, 'isEnabled'> {
  isEnabled: number
}

const toAccount = <Row extends AccountRow>({ isEnabled, ...row }: Row) => ({
  ...row,
  isEnabled: isEnabled === 1,
})
