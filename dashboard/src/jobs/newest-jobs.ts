import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { trawl } from '../client.ts'
import type { JobFilters } from './job-filters.ts'
import { type ShownJob, toShownJob } from './shown-job.ts'

/** A part of the list of all jobs. */
interface NewestJobs {
  jobs: readonly ShownJob[]
  /**
   * Until when the next part was created; undefined where there is none. That moment belongs to both parts, as
   * not every job of it may be in this one.
   */
  olderUntil: string | undefined
}

const listLength = 50

export const newestJobsQuery = (filters: JobFilters) =>
  queryOptions({
    queryKey: ['jobs', filters],
    queryFn: async ({ signal }): Promise<NewestJobs> => {
      const { before: end_date, ...others } = filters
      const query = { ...others, end_date, page_size: listLength }
      const { jobs, page_count } = await trawl.listJobs(query, { signal })
      const olderUntil = page_count > 1 ? jobs.at(-1)?.created_at : undefined
      return { jobs: jobs.map(toShownJob), olderUntil }
    },
    placeholderData: keepPreviousData,
  })
