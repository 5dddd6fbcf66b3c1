import { AcceptedBatch } from '../../../wire/batch/responses.ts'
import { batchExamples } from '../../../wire/jobs/examples.ts'
import { JobPath } from '../../requests/task-ids.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

export const retryFailedOfBatch = defineRoute({
  operationId: 'retryFailedOfBatch',
  method: 'POST',
  path: '/v1/batch/:job_id/retry-failed',
  family: 'batch',
  summary: 'Run the failed pages of a batch again',
  description: 'The same job is processing again, and ends with a new event.',
  params: JobPath,
  response: { status: 202, description: 'The failed pages are queued.', body: AcceptedBatch },
  newWork: 'task',
  failures: ['NOT_FOUND', 'CONFLICT', 'EXPIRED', 'BROWSER_UNAVAILABLE'],
  examples: batchExamples.retryFailed,

  async handle({ account, params }, { batches }) {
    const { id, counts, invalidUrls } = await batches.retryFailed(account.id, params.job_id)
    return new RouteResponse(
      {
        job_id: id,
        status: 'processing',
        status_url: `/v1/batch/${id}`,
        accepted_urls: counts.total,
        invalid_urls: invalidUrls,
        estimated_tokens: counts.open,
      },
      { status: 202 },
    )
  },
})
