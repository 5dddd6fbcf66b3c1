import type { JobsQuery as JobsFilter } from '../../jobs/all-jobs.ts'
import {
  type PaginatedList,
  type PaginationQuery,
  pageOf,
  toEnvelope,
} from '../../wire/pagination.ts'
import { type JobsRequest, jobsFilter } from '../requests/jobs-query.ts'

export async function listOfJobs<Job, Shown>(
  list: (filter: JobsFilter, page: PaginationQuery) => Promise<PaginatedList<Job>>,
  request: JobsRequest,
  show: (job: Job) => Shown,
) {
  const found = await list(jobsFilter(request), pageOf(request.query))
  const { items, ...envelope } = toEnvelope(found, request.query, show)
  return { jobs: items, ...envelope }
}
