import type { Route } from '../../route.ts'
import { getExtractJob } from './get-extract-job.ts'

/** The same operation under its second path. */
export const getExtractJobAgain: Route = {
  ...getExtractJob,
  operationId: 'getExtractJobAgain',
  path: '/v1/extract/jobs/:job_id',
}
