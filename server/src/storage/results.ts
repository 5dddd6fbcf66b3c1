import type { PageFacts } from '../domain/page.ts'
import { type Statement, sql } from './statement.ts'

export const insertResult = (result: {
  taskId: string
  facts: PageFacts
  nowMs: number
}): Statement<never> =>
  sql<never>`
    insert into results (task_id, facts, created_at_ms)
    values (${result.taskId}, ${JSON.stringify(result.facts)}, ${result.nowMs})`

export const findResult = (taskId: string): Statement<PageFacts> =>
  sql<{ facts: string }>`select facts from results where task_id = ${taskId}`.map(
    ({ facts }): PageFacts => JSON.parse(facts),
  )

/**
 * The oldest results that nobody waits for any more. A delivery that is pending holds its result, and
 * one that ended lately lets it stay as long again.
 */
export const listExpiredResults = (limits: {
  createdBeforeMs: number
  resultsMax: number
}): Statement<string> =>
  sql<{ task_id: string }>`
    select task_id from results
    where created_at_ms < ${limits.createdBeforeMs}
      and not exists (select 1 from deliveries
                      where deliveries.task_id = results.task_id
                        and (state = 'pending' or ended_at_ms >= ${limits.createdBeforeMs}))
    order by created_at_ms
    limit ${limits.resultsMax}`.map(({ task_id }) => task_id)

export const deleteResult = (taskId: string): Statement<never> =>
  sql<never>`delete from results where task_id = ${taskId}`

export const deleteBlobsOf = (ownerId: string): Statement<never> =>
  sql<never>`delete from blobs where owner_id = ${ownerId}`
