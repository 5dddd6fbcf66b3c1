import { type Statement, sql } from './statement.ts'

/** Locks the host until the end of the transaction, against other processes that queue its pages. */
export const lockHost = (host: string) =>
  sql<never>`
    insert into crawl_hosts (host, next_at_ms) values (${host}, 0)
    on conflict (host) do update set host = excluded.host`

/** How many pages of the host are queued or running, also of this crawl, and when the next may be asked for. */
export const findHost = (host: string, jobId: string) =>
  sql<{ openCount: number; ownCount: number; nextAtMs: number }>`
    select (select count(*) from tasks
            where crawl_host = ${host} and state = 'open') as "openCount",
           (select count(*) from tasks
            where crawl_host = ${host} and state = 'open' and job_id = ${jobId}) as "ownCount",
           coalesce((select next_at_ms from crawl_hosts where host = ${host}), 0) as "nextAtMs"`

/** Returns a row if so many pages of the host may be queued. */
export const hasRoom = (host: string, asked: { count: number; max: number; nowMs: number }) =>
  sql<{ host: string }>`
    select host from crawl_hosts
    where host = ${host} and next_at_ms <= ${asked.nowMs}
      and (select count(*) from tasks where crawl_host = ${host} and state = 'open')
          + ${asked.count} <= ${asked.max}`

/** To be written with the end of a page where a delay applies. */
export const pauseHost = (host: string, nextAtMs: number) =>
  sql<never>`
    insert into crawl_hosts (host, next_at_ms) values (${host}, ${nextAtMs})
    on conflict (host) do update set next_at_ms = excluded.next_at_ms
      where crawl_hosts.next_at_ms < excluded.next_at_ms`

/** Returns a row if the task was open and not queued. */
export const markQueued = (taskId: string, host: string) =>
  sql<{ id: string }>`
    update tasks set crawl_host = ${host}
    where id = ${taskId} and state = 'open' and crawl_host is null
    returning id`

/** How many pages of a crawl are queued or running. */
export const countQueued = (jobId: string): Statement<number> =>
  sql<{ count: number }>`
    select count(*) as count from tasks
    where job_id = ${jobId} and state = 'open' and crawl_host is not null`.map(({ count }) => count)

/** Hosts whose pause is over have no row. */
export const pruneHosts = (nowMs: number) =>
  sql<never>`
    delete from crawl_hosts
    where next_at_ms < ${nowMs}
      and not exists (select 1 from tasks
                      where tasks.crawl_host = crawl_hosts.host and tasks.state = 'open')`
