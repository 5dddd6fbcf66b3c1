import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { TaskFilters } from './task-filters.ts'
import { taskPageQuery } from './task-pages.ts'

/** Reads the pages before and after those in sight, so that scrolling finds its rows. */
export function usePagesAhead(
  filters: TaskFilters,
  seen: readonly number[],
  pageCount: number,
): void {
  const client = useQueryClient()
  const [first = 1, last = 1] = [seen[0], seen.at(-1)]
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list has one set of filters
  useEffect(() => {
    // The service decrypts thousands of URLs for each page of such a search.
    if (filters.url !== undefined) return
    for (const page of [last + 1, first - 1]) {
      if (page >= 1 && page <= pageCount) void client.prefetchQuery(taskPageQuery(filters, page))
    }
  }, [client, first, last, pageCount])
}
