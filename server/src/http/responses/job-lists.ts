import type { z } from 'zod'
import type { Account } from '../../domain/account/account.ts'
import { UrlPart } from '../../domain/url-part.ts'
import type { JobTracking } from '../../jobs/job-tracking.ts'
import { TaskStatus } from '../../wire/named-enums.ts'
import {
  PageQuery,
  type PaginatedList,
  type PaginationQuery,
  toEnvelope,
} from '../../wire/pagination.ts'
import { DateQuery } from '../../wire/query-dates.ts'

/** Which batches, crawls or maps a caller wants to see. */
export const JobsQuery = PageQuery.extend(DateQuery.shape).extend({
  status: TaskStatus.optional().describe('Only jobs with this status.'),
})

export const JobsOfSiteQuery = JobsQuery.extend({
  url: UrlPart.optional().describe('Only URLs that contain this, in any case.'),
})

type Filter = Parameters<JobTracking['list']>[0]

export async function listOfJobs<Job, Shown>(
  list: (filter: Filter, page: PaginationQuery) => Promise<PaginatedList<Job>>,
  {
    account,
    query,
    disconnected,
  }: {
    account: Account
    query: z.output<typeof JobsQuery> & { url?: string | undefined }
    disconnected: AbortSignal
  },
  show: (job: Job) => Shown,
) {
  const page = { page: query.page, pageSize: query.page_size }
  const filter = {
    accountId: account.id,
    urlPart: query.url || undefined,
    signal: disconnected,
    status: query.status,
    createdFromMs: query.start_date,
    createdToMs: query.end_date,
  }
  const { items, ...envelope } = toEnvelope(await list(filter, page), page, show)
  return { jobs: items, ...envelope }
}
