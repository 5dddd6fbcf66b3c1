import { CancelledCrawl } from '../../../wire/crawl/responses.ts'
import { crawlExamples } from '../../../wire/jobs/examples.ts'
import { JobPath } from '../../requests/task-ids.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

export const cancelCrawl = defineRoute({
  operationId: 'cancelCrawl',
  method: 'DELETE',
  path: '/v1/crawl/:job_id',
  family: 'crawl',
  summary: 'Cancel a crawl',
  description: 'Nothing new starts; pages that are being fetched end.',
  params: JobPath,
  response: { status: 202, description: 'The crawl is cancelled.', body: CancelledCrawl },
  failures: ['NOT_FOUND', 'CONFLICT'],
  examples: crawlExamples.cancel,

  async handle({ account, params }, { crawls }) {
    const { id, counts } = await crawls.cancel(account.id, params.job_id)
    return new RouteResponse(
      {
        job_id: id,
        status: 'cancelled',
        status_url: `/v1/crawl/${id}`,
        in_flight_pages: counts.open,
      },
      { status: 202 },
    )
  },
})
