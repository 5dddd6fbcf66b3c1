import type { Route } from '../../route.ts'
import { getCrawl } from './get-crawl.ts'

/** The same operation under its second path. */
export const getCrawlAgain: Route = {
  ...getCrawl,
  operationId: 'getCrawlAgain',
  path: '/v1/crawl/jobs/:job_id',
}
