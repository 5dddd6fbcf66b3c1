import type { Account } from '../../domain/account/account.ts'
import type { WhitelistedIp } from '../../domain/account/whitelisted-ip.ts'
import { type Statement, sql } from '../statement.ts'

export const listWhitelistedIps = (accountId: string) =>
  sql<WhitelistedIp>`
    select id, block, description
    from whitelisted_ips
    where account_id = ${accountId}
    order by created_at_ms, id`

/** Returns no row if the account lists the address already. */
export const insertWhitelistedIp = (entry: WhitelistedIp & { accountId: string; nowMs: number }) =>
  sql<{ id: string }>`
    insert into whitelisted_ips (id, account_id, block, description, created_at_ms)
    values (${entry.id}, ${entry.accountId}, ${entry.block}, ${entry.description}, ${entry.nowMs})
    on conflict (account_id, block) do nothing
    returning id`

/** Returns a row if the list is no longer than allowed. */
export const withinWhitelistLength = (accountId: string, entriesMax: number) =>
  sql<{ ok: number }>`
    select 1 as ok
    where (select count(*) from whitelisted_ips where account_id = ${accountId}) <= ${entriesMax}`

export const describeWhitelistedIp = (entry: {
  accountId: string
  block: string
  description: string
}) =>
  sql<{ id: string }>`
    update whitelisted_ips
    set description = ${entry.description}
    where account_id = ${entry.accountId} and block = ${entry.block}
    returning id`

export const deleteWhitelistedIp = (entry: { accountId: string; block: string }) =>
  sql<{ id: string }>`
    delete from whitelisted_ips
    where account_id = ${entry.accountId} and block = ${entry.block}
    returning id`

/** A listed CIDR block, an enabled account that lists it, and how many enabled accounts do. */
export interface BlockOwner {
  block: string
  ownerCount: number
  account: Account
}

/** Those of the given blocks that enabled accounts list. */
export const listBlockOwners = (blocks: readonly string[]): Statement<BlockOwner> => {
  const [first = '', ...others] = blocks
  const list = others.reduce((listed, block) => sql`${listed}, ${block}`, sql`${first}`)
  return sql<Omit<BlockOwner, 'account'> & Omit<Account, 'isEnabled'>>`
    select whitelisted_ips.block, count(*) as "ownerCount", min(accounts.id) as id,
           min(accounts.username) as username, min(accounts.created_at_ms) as "createdAtMs"
    from whitelisted_ips
    join accounts on accounts.id = whitelisted_ips.account_id
    where whitelisted_ips.block in (${list}) and accounts.is_enabled = 1
    group by whitelisted_ips.block`.map(({ block, ownerCount, ...account }) => ({
    block,
    ownerCount,
    account: { ...account, isEnabled: true },
  }))
}
