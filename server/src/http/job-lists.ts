import { z } from 'zod'
import {
  PageQuery,
  type PaginatedList,
  type PaginationQuery,
  toEnvelope,
} from '../domain/pagination.ts'
import { DateQuery } from '../domain/query-dates.ts'
import { taskStatuses } from '../domain/task/task.ts'
import type { JobTracking } from '../jobs/job-tracking.ts'

/** Which batches, crawls or maps a caller wants to see. */
export const JobsQuery = PageQuery.extend(DateQuery.shape).extend({
  status: z.enum(taskStatuses).optional().describe('Only jobs with this status.'),
})

export const JobsOfSiteQuery = JobsQuery.extend({
  url: z.string().max(8192).optional().describe('Part of the URL.'),
})

type Filter = Parameters<JobTracking['list']>[0]

export async function listOfJobs<Job, Shown>(
  list: (filter: Filter, page: PaginationQuery) => Promise<PaginatedList<Job>>,
  accountId: string,
  query: z.output<typeof JobsQuery> & { url?: string | undefined },
  show: (job: Job) => Shown,
) {
  const page = { page: query.page, pageSize: query.page_size }
  const filter = {
    accountId,
    urlPart: query.url || undefined,
    status: query.status,
    createdFromMs: query.start_date,
    createdToMs: query.end_date,
  }
  const { items, ...envelope } = toEnvelope(await list(filter, page), page, show)
  return { jobs: items, ...envelope }
}
