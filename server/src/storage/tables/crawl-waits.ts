import { sql } from '../statement.ts'

/** A crawl that has not looked for so long does not hold up the others. */
const passedOverMs = 10_000

/** Lets a crawl wait for a host, after all others unless it waits already. */
export const waitForHost = (wait: { host: string; jobId: string; nowMs: number }) =>
  sql<never>`
    insert into crawl_turns (host, job_id, since_ms, seen_ms)
    values (${wait.host}, ${wait.jobId}, ${wait.nowMs}, ${wait.nowMs})
    on conflict (host, job_id) do update set seen_ms = excluded.seen_ms`

/** The crawl has got what it waited for, or waits elsewhere. */
export const stopWaiting = (host: string, jobId: string) =>
  sql<never>`delete from crawl_turns where host = ${host} and job_id = ${jobId}`

/** A crawl that has ended waits for no host, and holds up nobody. */
export const stopAllWaiting = (jobId: string) =>
  sql<never>`delete from crawl_turns where job_id = ${jobId}`

/**
 * The crawls that wait for a host, the first one first: that of the account that holds the fewest places
 * there, then of the one whose pause ended first, then the one that waits longest. One that was cancelled
 * meanwhile does not wait.
 */
export const listWaiting = (host: string, nowMs: number) =>
  sql<{ id: string; accountId: string }>`
    select jobs.id, jobs.account_id as "accountId"
    from crawl_turns
      join jobs on jobs.id = job_id and jobs.state = 'open'
      left join (select account_id, count(*) as places from tasks
                 where crawl_host = ${host} and state = 'open'
                 group by account_id) held on held.account_id = jobs.account_id
      left join crawl_hosts of_account
        on of_account.host = jobs.account_id || ' ' || crawl_turns.host
    where crawl_turns.host = ${host} and seen_ms > ${nowMs - passedOverMs}
    order by coalesce(places, 0), coalesce(next_at_ms, 0), since_ms, job_id
    limit 2`

export const pruneWaits = (nowMs: number) =>
  sql<never>`delete from crawl_turns where seen_ms <= ${nowMs - passedOverMs}`
