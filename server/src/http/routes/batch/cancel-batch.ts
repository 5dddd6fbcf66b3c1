import { CancelledBatch } from '../../../wire/batch/responses.ts'
import { batchExamples } from '../../../wire/jobs/examples.ts'
import { JobPath } from '../../requests/task-ids.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

export const cancelBatch = defineRoute({
  operationId: 'cancelBatch',
  method: 'DELETE',
  path: '/v1/batch/:job_id',
  family: 'batch',
  summary: 'Cancel a batch',
  description: 'Nothing new starts; pages that are being fetched end.',
  params: JobPath,
  response: { status: 202, description: 'The batch is cancelled.', body: CancelledBatch },
  failures: ['NOT_FOUND', 'CONFLICT'],
  examples: batchExamples.cancel,

  async handle({ account, params }, { batches }) {
    const { id, counts } = await batches.cancel(account.id, params.job_id)
    return new RouteResponse(
      {
        job_id: id,
        status: 'cancelled',
        status_url: `/v1/batch/${id}`,
        in_flight_urls: counts.open,
      },
      { status: 202 },
    )
  },
})
