import { BatchJobList } from '../../../domain/job/batch-object.ts'
import { batchItem } from '../../../jobs/batch-json.ts'
import { batchExamples } from '../../job-examples.ts'
import { JobsQuery, listOfJobs } from '../../job-lists.ts'
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
