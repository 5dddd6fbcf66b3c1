import type { TaskSearchResult, TaskSummary } from '@trawl/sdk'
import type { TaskFilters, TaskQuery } from './task-filters.ts'

/** A list of the SDK: awaited it is its first page, and it has all of them. */
type TaskPages = PromiseLike<TaskSearchResult> & { pages(): AsyncIterable<TaskSearchResult> }

/**
 * Every task that fits the filters, each once, newest first. What is created meanwhile is left out, as it
 * would move the others to later pages. A search ends after so many tasks; the next begins where it ended.
 */
export async function* findMatching(
  list: (query: TaskQuery) => TaskPages,
  filters: TaskFilters,
): AsyncGenerator<TaskSummary, void, undefined> {
  const newest = (await list({ ...filters, page_size: 1 })).tasks[0]
  const seen = new Set<string>()
  let until = newest?.created_at
  while (until !== undefined) {
    const countBefore = seen.size
    let oldest: TaskSummary | undefined
    let isCapped = false
    for await (const page of list({ ...filters, page_size: 100, end_date: until }).pages()) {
      for (const task of page.tasks) {
        if (!seen.has(task.id)) yield task
        seen.add(task.id)
        oldest = task
      }
      isCapped = page.is_capped
    }
    until = isCapped && seen.size > countBefore ? oldest?.created_at : undefined
  }
}
