import type { Route } from '../../route.ts'
import { getSearchJob } from './get-search-job.ts'

/** The same operation under its second path. */
export const getSearchJobAgain: Route = {
  ...getSearchJob,
  operationId: 'getSearchJobAgain',
  path: '/v1/search/jobs/:job_id',
}
