import { allJobsExamples } from '../../../wire/jobs/examples.ts'
import { JobObject } from '../../../wire/jobs/responses.ts'
import { toJobObject } from '../../../wire/jobs/to-responses.ts'
import { JobPath } from '../../requests/task-ids.ts'
import { defineRoute } from '../../route.ts'

export const getJob = defineRoute({
  operationId: 'getJob',
  method: 'GET',
  path: '/v1/jobs/:job_id',
  family: 'jobs',
  summary: 'Get a batch, a crawl or a map by its id alone',
  description:
    'Its kind, counts and where its results are. An extraction is no job but a task: `GET /v1/tasks/{task_id}`.',
  params: JobPath,
  response: { status: 200, description: 'The job.', body: JobObject },
  failures: ['NOT_FOUND'],
  examples: allJobsExamples.get,

  handle: async ({ account, params }, { allJobs }) =>
    toJobObject(await allJobs.get(account.id, params.job_id)),
})
