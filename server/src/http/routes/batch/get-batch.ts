import { z } from 'zod'
import { BatchJob } from '../../../domain/job/batch-object.ts'
import { pageQuery } from '../../../domain/pagination.ts'
import { batchHead } from '../../../jobs/batch-json.ts'
import { jobResponse, ndjsonResponse, ndjsonType } from '../../job-responses.ts'
import { defineRoute } from '../../route.ts'
import { JobPath, toDelivery } from '../../task-bodies.ts'

export const getBatch = defineRoute({
  operationId: 'getBatch',
  method: 'GET',
  path: '/v1/batch/:job_id',
  family: 'batch',
  summary: 'Get a batch with a page of its results',
  description: `With \`Accept: ${ndjsonType}\` every result is a line of its own, without pages: a snapshot of the moment.`,
  params: JobPath,
  query: pageQuery({ sizeMax: 50, sizeByDefault: 10 }),
  headers: z.object({ accept: z.string().optional() }),
  response: {
    status: 200,
    description: 'The batch, or its results.',
    body: BatchJob,
    alsoAs: [ndjsonType],
  },
  failures: ['NOT_FOUND'],
  examples: { job: { summary: 'A batch by its id', status: 200 } },

  async handle({ account, params, query, headers }, { batches }) {
    const job = await batches.get(account.id, params.job_id)
    if (headers.accept?.includes(ndjsonType)) {
      const all = batches.results(job.id, { offset: 0, limit: job.counts.total })
      return ndjsonResponse(all)
    }
    const { page, page_size } = query
    const asked = { offset: (page - 1) * page_size, limit: page_size }
    const delivery =
      job.callbackUrl === null
        ? null
        : toDelivery(await batches.findCallback(job.id), job.completedAtMs === null)
    const head = { ...batchHead(job), delivery }
    return jobResponse(head, batches.results(job.id, asked))
  },
})
