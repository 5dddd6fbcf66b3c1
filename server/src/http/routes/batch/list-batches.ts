import { BatchJobList } from '../../../wire/batch/responses.ts'
import { batchItem } from '../../../wire/batch/to-responses.ts'
import { batchExamples } from '../../../wire/jobs/examples.ts'
import { JobsQuery } from '../../requests/jobs-query.ts'
import { listOfJobs } from '../../responses/job-lists.ts'
import { defineRoute } from '../../route.ts'

export const listBatches = defineRoute({
  operationId: 'listBatches',
  method: 'GET',
  path: '/v1/batch/jobs',
  family: 'batch',
  takesTurns: true,
  summary: 'List batches, newest first',
  query: JobsQuery,
  response: { status: 200, description: 'A page of them.', body: BatchJobList },
  examples: batchExamples.list,

  handle: (request, { batches }) => listOfJobs(batches.list, request, batchItem),
})
