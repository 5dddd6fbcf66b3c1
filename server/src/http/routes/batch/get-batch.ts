import { BatchJob } from '../../../wire/batch/responses.ts'
import { batchHead } from '../../../wire/batch/to-responses.ts'
import { batchExamples } from '../../../wire/jobs/examples.ts'
import { getJobFields, jobResponse, ndjsonType } from '../../responses/jobs.ts'
import { defineRoute } from '../../route.ts'

export const getBatch = defineRoute({
  operationId: 'getBatch',
  method: 'GET',
  path: '/v1/batch/:job_id',
  aliases: ['/v1/batch/jobs/:job_id'],
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
