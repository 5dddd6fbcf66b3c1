import { sql, sqlValue } from '../statement.ts'

/** Locks the host until the end of the transaction, against other processes that queue its pages. */
export const lockHost = (host: string) =>
  sql<never>`
    insert into crawl_hosts (host, next_at_ms) values (${host}, 0)
    on conflict (host) do update set host = excluded.host`

/** A host, and the row in which an account has a pause of its own there. */
export interface HostPlaces {
  host: string
  accountId: string
  ofAccount: string
}

/**
 * How many pages of the host are queued or running, also of the account and of the crawl, how many accounts
 * hold them, and when the next may be asked for, by the account and by anybody.
 */
export const findHost = ({ host, accountId, ofAccount }: HostPlaces, jobId: string) =>
  sql<{
    openCount: number
    holderCount: number
    accountCount: number
    ownCount: number
    nextAtMs: number
    accountNextAtMs: number
  }>`
    select count(*) as "openCount",
           count(distinct account_id) as "holderCount",
           count(case when account_id = ${accountId} then 1 end) as "accountCount",
           count(case when job_id = ${jobId} then 1 end) as "ownCount",
           coalesce((select next_at_ms from crawl_hosts where host = ${host}), 0) as "nextAtMs",
           coalesce((select next_at_ms from crawl_hosts where host = ${ofAccount}), 0)
             as "accountNextAtMs"
    from tasks
    where crawl_host = ${host} and state = 'open'`

/** Returns a row if so many pages of the host may be queued. */
export const hasRoom = (
  { host, accountId, ofAccount }: HostPlaces,
  asked: { count: number; max: number; accountMax: number; nowMs: number },
) =>
  sql<{ openCount: number }>`
    select count(*) as "openCount" from tasks
    where crawl_host = ${host} and state = 'open'
    having count(*) + ${asked.count} <= ${asked.max}
      and count(case when account_id = ${accountId} then 1 end) + ${asked.count}
          <= ${asked.accountMax}
      and not exists (select 1 from crawl_hosts
                      where host in (${host}, ${ofAccount}) and next_at_ms > ${asked.nowMs})`

/** To be written with the end of a page where a delay applies, to the host or to the account there. */
export const pauseHost = (place: string, nextAtMs: number) =>
  sql<never>`
    insert into crawl_hosts (host, next_at_ms) values (${place}, ${nextAtMs})
    on conflict (host) do update set next_at_ms = excluded.next_at_ms
      where crawl_hosts.next_at_ms < excluded.next_at_ms`

/** Returns a row if the task was open and not queued. */
export const markQueued = (taskId: string, host: string) =>
  sql<{ id: string }>`
    update tasks set crawl_host = ${host}
    where id = ${taskId} and state = 'open' and crawl_host is null
    returning id`

/** How many pages of a crawl are queued or running. */
export const countQueued = (jobId: string) =>
  sqlValue<number>`
    select count(*) from tasks
    where job_id = ${jobId} and state = 'open' and crawl_host is not null`

/** Hosts whose pause is over have no row. */
export const pruneHosts = (nowMs: number) =>
  sql<never>`
    delete from crawl_hosts
    where next_at_ms < ${nowMs}
      and not exists (select 1 from tasks
                      where tasks.crawl_host = crawl_hosts.host and tasks.state = 'open')`
