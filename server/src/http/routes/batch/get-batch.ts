import { BatchJob } from '../../../domain/job/batch-object.ts'
import { batchHead } from '../../../jobs/batch-json.ts'
import { batchExamples } from '../../job-examples.ts'
import { getJobFields, jobResponse, ndjsonType } from '../../job-responses.ts'
import { defineRoute } from '../../route.ts'

export const getBatch = defineRoute({
  operationId: 'getBatch',
  method: 'GET',
  path: '/v1/batch/:job_id',
  family: 'batch',
  summary: 'Get a batch with a page of its results',
  ...getJobFields,
  response: {
    status: 200,
    description: 'The batch, or its results.',
    body: BatchJob,
    alsoAs: [ndjsonType],
  },
  failures: ['NOT_FOUND'],
  examples: batchExamples.get,

  async handle({ account, params, query, headers, disconnected }, { batches }) {
    const job = await batches.get(account.id, params.job_id)
    return jobResponse(batches, { job, head: batchHead(job) }, { query, headers, disconnected })
  },
})
