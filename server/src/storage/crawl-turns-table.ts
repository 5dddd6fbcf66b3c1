import { sql } from './statement.ts'

/** A crawl that has not looked for so long does not hold up the others. */
const passedOverMs = 10_000

/** Lets a crawl wait for a host, at the end of the line unless it waits already. */
export const waitForHost = (turn: { host: string; jobId: string; nowMs: number }) =>
  sql<never>`
    insert into crawl_turns (host, job_id, since_ms, seen_ms)
    values (${turn.host}, ${turn.jobId}, ${turn.nowMs}, ${turn.nowMs})
    on conflict (host, job_id) do update set seen_ms = excluded.seen_ms`

export const leaveLine = (host: string, jobId: string) =>
  sql<never>`delete from crawl_turns where host = ${host} and job_id = ${jobId}`

/** A crawl that has ended waits for no host, and holds up nobody. */
export const leaveLines = (jobId: string) =>
  sql<never>`delete from crawl_turns where job_id = ${jobId}`

/** The crawls that wait for a host, the first one first. One that was cancelled meanwhile does not wait. */
export const listWaiting = (host: string, nowMs: number) =>
  sql<{ jobId: string }>`
    select job_id as "jobId" from crawl_turns
    where host = ${host} and seen_ms > ${nowMs - passedOverMs}
      and exists (select 1 from jobs where jobs.id = job_id and jobs.state = 'open')
    order by since_ms, job_id
    limit 2`

export const pruneTurns = (nowMs: number) =>
  sql<never>`delete from crawl_turns where seen_ms <= ${nowMs - passedOverMs}`
