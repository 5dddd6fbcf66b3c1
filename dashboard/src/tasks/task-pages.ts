import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { trawl } from '../client.ts'
import type { TaskFilters, TaskQuery } from './task-filters.ts'

export const pageRowCount = 50

/** One page of the tasks that fit. Only pages with rows in sight are read, and read again by events. */
export const taskPageQuery = (filters: TaskFilters, page: number) =>
  queryOptions({
    queryKey: ['tasks', filters, page],
    queryFn: async ({ signal }) =>
      await trawl.tasks.list(
        { ...(filters as TaskQuery), page, page_size: pageRowCount },
        { signal },
      ),
    placeholderData: keepPreviousData,
  })
