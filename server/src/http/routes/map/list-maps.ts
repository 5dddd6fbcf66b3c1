import { mapExamples } from '../../../wire/jobs/examples.ts'
import { MapJobList } from '../../../wire/map/responses.ts'
import { mapHead } from '../../../wire/map/to-responses.ts'
import { JobsOfSiteQuery } from '../../requests/jobs-query.ts'
import { listOfJobs } from '../../responses/job-lists.ts'
import { defineRoute } from '../../route.ts'

export const listMaps = defineRoute({
  operationId: 'listMaps',
  method: 'GET',
  path: '/v1/map/jobs',
  family: 'map',
  takesTurns: true,
  summary: 'List maps, newest first',
  query: JobsOfSiteQuery,
  response: { status: 200, description: 'A page of them.', body: MapJobList },
  examples: mapExamples.list,

  handle: (request, { maps }) =>
    listOfJobs(maps.list, request, ({ job, task }) => mapHead(job, task)),
})
