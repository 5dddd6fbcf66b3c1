import { jobExamples } from '../../../wire/extract/examples.ts'
import { ExtractJob } from '../../../wire/scrape/responses.ts'
import { JobPath } from '../../requests/task-ids.ts'
import { assemble } from '../../responses/tasks.ts'
import { defineRoute } from '../../route.ts'

export const getExtractJob = defineRoute({
  operationId: 'getExtractJob',
  method: 'GET',
  path: '/v1/extract/:job_id',
  aliases: ['/v1/extract/jobs/:job_id'],
  family: 'extract',
  summary: 'Get a single task as a job, with its data',
  description: 'Serves every single task: callback and realtime scrapes as well.',
  params: JobPath,
  response: { status: 200, description: 'The job; a failed one too.', body: ExtractJob },
  failures: ['NOT_FOUND', 'RATE_LIMITED'],
  examples: jobExamples,
  handle: async ({ account, params, disconnected }, { tasks }) =>
    assemble(await tasks.getExtraction(account.id, params.job_id, disconnected)),
})
