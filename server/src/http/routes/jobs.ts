import { z } from 'zod'
import { jobKindNames } from '../../domain/job/job.ts'
import { allJobsExamples } from '../../wire/jobs/examples.ts'
import { JobObject, JobObjectList } from '../../wire/jobs/responses.ts'
import { toJobObject } from '../../wire/jobs/to-responses.ts'
import { pageOf, toEnvelope } from '../../wire/pagination.ts'
import { JobsOfSiteQuery, jobsFilter } from '../requests/jobs-query.ts'
import { JobPath } from '../requests/task-ids.ts'
import { defineRoute, type Route } from '../route.ts'

const listJobs = defineRoute('jobs', {
  operationId: 'listJobs',
  request: 'GET /v1/jobs',
  takesTurns: true,
  summary: 'List batches, crawls and maps together, newest first',
  description: 'Extractions are no jobs but tasks: `GET /v1/tasks` has them.',
  query: JobsOfSiteQuery.extend({
    kind: z.enum(jobKindNames).optional().describe('Only jobs of this kind.'),
  }),
  response: { description: 'A page of them.', body: JobObjectList },
  examples: allJobsExamples.list,

  async handle(request, { allJobs }) {
    const { query } = request
    const filter = { ...jobsFilter(request), kind: query.kind }
    const found = await allJobs.list(filter, pageOf(query))
    const { items, ...envelope } = toEnvelope(found, query, toJobObject)
    return { jobs: items, ...envelope, is_capped: found.isCapped }
  },
})

const getJob = defineRoute('jobs', {
  operationId: 'getJob',
  request: 'GET /v1/jobs/:job_id',
  summary: 'Get a batch, a crawl or a map by its id alone',
  description:
    'Its kind, counts and where its results are. An extraction is no job but a task: `GET /v1/tasks/{task_id}`.',
  params: JobPath,
  response: { description: 'The job.', body: JobObject },
  failures: ['NOT_FOUND'],
  examples: allJobsExamples.get,

  handle: async ({ account, params }, { allJobs }) =>
    toJobObject(await allJobs.get(account.id, params.job_id)),
})

export const jobRoutes: readonly Route[] = [listJobs, getJob]
