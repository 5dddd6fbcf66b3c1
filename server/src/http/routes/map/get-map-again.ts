import type { Route } from '../../route.ts'
import { getMap } from './get-map.ts'

/** The same operation under its second path. */
export const getMapAgain: Route = {
  ...getMap,
  operationId: 'getMapAgain',
  path: '/v1/map/jobs/:job_id',
}
