import type { PageFacts } from '../../domain/scrape/page.ts'
import type { StoredSize } from '../../domain/task/choose-evictions.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import { openColumn, type SealedPlace, sealColumn } from '../secrets/sealed-columns.ts'
import { type Statement, sql, sqlValue } from '../statement.ts'

/** The facts are encrypted as a whole: cookies, headers and collected responses may hold secrets. */
export function insertResult(
  sealer: Sealer,
  task: SealedPlace,
  result: {
    facts: PageFacts
    /** The size of the page and its screenshot, which are in `blobs`. */
    blobBytes: number
    nowMs: number
  },
): Statement<never> {
  const facts = sealColumn(sealer, 'results.facts', task, JSON.stringify(result.facts))
  return sql<never>`
    insert into results (task_id, account_id, facts, bytes, created_at_ms)
    values (${task.id}, ${task.accountId}, ${facts}, ${facts.length + result.blobBytes},
            ${result.nowMs})`
}

export const findResult = (sealer: Sealer, task: SealedPlace): Statement<PageFacts> =>
  sqlValue<string>`select facts from results where task_id = ${task.id}`.map((facts) =>
    JSON.parse(openColumn(sealer, 'results.facts', task, facts)),
  )

/**
 * The oldest results past their retention. A pending delivery keeps its result, and the retention counts
 * again from the end of the last delivery.
 */
export const listExpiredResults = (limits: { createdBeforeMs: number; resultsMax: number }) =>
  sqlValue<string>`
    select task_id from results
    where created_at_ms < ${limits.createdBeforeMs}
      and not exists (select 1 from deliveries
                      where deliveries.task_id = results.task_id
                        and (state = 'pending' or ended_at_ms >= ${limits.createdBeforeMs}))
      and not exists (select 1 from tasks
                      join jobs on jobs.id = tasks.job_id
                      where tasks.id = results.task_id
                        and (jobs.completed_at_ms is null
                             or jobs.completed_at_ms >= ${limits.createdBeforeMs}))
    order by created_at_ms
    limit ${limits.resultsMax}`

/** A cursor in the results of an account, oldest first. */
export interface ResultPlace {
  createdAtMs: number
  taskId: string
}

export const listOldestResults = (asked: {
  accountId: string
  after: ResultPlace
  resultsMax: number
}) =>
  sql<Omit<StoredSize, 'isHeld'> & ResultPlace & { isHeld: number }>`
    select task_id as "taskId", bytes, created_at_ms as "createdAtMs",
           case when ${isHeld} then 1 else 0 end as "isHeld"
    from results
    where account_id = ${asked.accountId}
      and (created_at_ms, task_id) > (${asked.after.createdAtMs}, ${asked.after.taskId})
    order by created_at_ms, task_id
    limit ${asked.resultsMax}`.map((row) => ({ ...row, isHeld: row.isHeld === 1 }))

export const sumResultBytes = (accountId: string) =>
  sqlValue<number>`
    select cast(coalesce(sum(bytes), 0) as bigint) from results where account_id = ${accountId}`

/** A pending delivery needs the result, or its job still runs. */
const isHeld = sql`
    (exists (select 1 from deliveries
             where deliveries.task_id = results.task_id and deliveries.state = 'pending')
     or exists (select 1 from tasks
                join jobs on jobs.id = tasks.job_id
                where tasks.id = results.task_id and jobs.completed_at_ms is null))`

export const deleteUnheldResult = (taskId: string) =>
  sql<never>`delete from results where task_id = ${taskId} and not ${isHeld}`

export const deleteBlobsWithoutResult = (ownerId: string) =>
  sql<never>`
    delete from blobs
    where owner_id = ${ownerId}
      and not exists (select 1 from results where results.task_id = ${ownerId})`

export const isResultStored = (taskId: string): Statement<boolean> =>
  sqlValue<number>`select count(*) from results where task_id = ${taskId}`.map((count) => count > 0)

export const deleteResult = (taskId: string) =>
  sql<never>`delete from results where task_id = ${taskId}`

export const deleteBlobsOf = (ownerId: string) =>
  sql<never>`delete from blobs where owner_id = ${ownerId}`
