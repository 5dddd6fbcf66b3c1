import { MapJobList } from '../../../domain/job/map-object.ts'
import { mapHead } from '../../../jobs/map-json.ts'
import { JobsOfSiteQuery, listOfJobs } from '../../job-lists.ts'
import { defineRoute } from '../../route.ts'

export const listMaps = defineRoute({
  operationId: 'listMaps',
  method: 'GET',
  path: '/v1/map/jobs',
  family: 'map',
  summary: 'List maps, newest first',
  query: JobsOfSiteQuery,
  response: { status: 200, description: 'A page of them.', body: MapJobList },
  examples: { newest: { summary: 'The ten newest', query: { page_size: '10' }, status: 200 } },

  handle: ({ account, query }, { maps }) =>
    listOfJobs(maps.list, account.id, query, ({ job, task }) => mapHead(job, task)),
})
