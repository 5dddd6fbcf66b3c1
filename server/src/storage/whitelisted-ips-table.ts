import type { Account } from '../domain/account/account.ts'
import type { WhitelistedIp } from '../domain/account/whitelisted-ip.ts'
import { type Statement, sql } from './statement.ts'

export const listWhitelistedIps = (accountId: string): Statement<WhitelistedIp> =>
  sql<WhitelistedIp>`
    select id, block, description
    from whitelisted_ips
    where account_id = ${accountId}
    order by created_at_ms, id`

/** Gives no row when the address is on the list already. */
export const insertWhitelistedIp = (
  entry: WhitelistedIp & { accountId: string; nowMs: number },
): Statement<{ id: string }> =>
  sql<{ id: string }>`
    insert into whitelisted_ips (id, account_id, block, description, created_at_ms)
    values (${entry.id}, ${entry.accountId}, ${entry.block}, ${entry.description}, ${entry.nowMs})
    on conflict (account_id, block) do nothing
    returning id`

/** Gives a row while the list is no longer than allowed. */
export const withinWhitelistLength = (
  accountId: string,
  entriesMax: number,
): Statement<{ ok: number }> =>
  sql<{ ok: number }>`
    select 1 as ok
    where (select count(*) from whitelisted_ips where account_id = ${accountId}) <= ${entriesMax}`

export const describeWhitelistedIp = (entry: {
  accountId: string
  block: string
  description: string
}): Statement<{ id: string }> =>
  sql<{ id: string }>`
    update whitelisted_ips
    set description = ${entry.description}
    where account_id = ${entry.accountId} and block = ${entry.block}
    returning id`

export const deleteWhitelistedIp = (entry: {
  accountId: string
  block: string
}): Statement<{ id: string }> =>
  sql<{ id: string }>`
    delete from whitelisted_ips
    where account_id = ${entry.accountId} and block = ${entry.block}
    returning id`

/** A listed block, and an enabled account that lists it; there may be others. */
export interface BlockHolder {
  block: string
  holderCount: number
  account: Account
}

/** Which of these blocks enabled accounts list; a disabled account's list is as good as empty. */
export const listBlockHolders = (blocks: readonly string[]): Statement<BlockHolder> => {
  const [first = '', ...others] = blocks
  const list = others.reduce((listed, block) => sql`${listed}, ${block}`, sql`${first}`)
  return sql<HolderRow>`
    select whitelisted_ips.block, count(*) as holder_count, min(accounts.id) as id,
           min(accounts.username) as username, min(accounts.created_at_ms) as created_at_ms
    from whitelisted_ips
    join accounts on accounts.id = whitelisted_ips.account_id
    where whitelisted_ips.block in (${list}) and accounts.is_enabled = 1
    group by whitelisted_ips.block`.map((row) => ({
    block: row.block,
    holderCount: row.holder_count,
    account: {
      id: row.id,
      username: row.username,
      isEnabled: true,
      createdAtMs: row.created_at_ms,
    },
  }))
}

interface HolderRow {
  block: string
  holder_count: number
  id: string
  username: string
  created_at_ms: number
}
