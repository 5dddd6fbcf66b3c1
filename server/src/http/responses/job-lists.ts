import type { JobsQuery as JobsFilter } from '../../jobs/all-jobs.ts'
import { type PaginatedList, type PaginationQuery, toEnvelope } from '../../wire/pagination.ts'
import { type JobsRequest, readJobsQuery } from '../requests/jobs-query.ts'

/** The jobs of one kind. */
export async function listOfJobs<Job, Shown>(
  list: (filter: JobsFilter, page: PaginationQuery) => Promise<PaginatedList<Job>>,
  request: JobsRequest,
  show: (job: Job) => Shown,
) {
  const { filter, page } = readJobsQuery(request)
  const { items, ...envelope } = toEnvelope(await list(filter, page), page, show)
  return { jobs: items, ...envelope }
}
