import type { Route } from '../../route.ts'
import { getBatch } from './get-batch.ts'

/** The same operation under its second path. */
export const getBatchAgain: Route = {
  ...getBatch,
  operationId: 'getBatchAgain',
  path: '/v1/batch/jobs/:job_id',
}
