import { z } from 'zod'
import { MapJobList } from '../../../domain/job/map-object.ts'
import { PageQuery, toEnvelope } from '../../../domain/pagination.ts'
import { DateQuery } from '../../../domain/query-dates.ts'
import { taskStatuses } from '../../../domain/task/task.ts'
import { mapHead } from '../../../jobs/map-json.ts'
import { defineRoute } from '../../route.ts'

export const listMaps = defineRoute({
  operationId: 'listMaps',
  method: 'GET',
  path: '/v1/map/jobs',
  family: 'map',
  summary: 'List maps, newest first',
  query: PageQuery.extend(DateQuery.shape).extend({
    url: z.string().max(8192).optional().describe('Part of the URL.'),
    status: z.enum(taskStatuses).optional().describe('Only maps with this status.'),
  }),
  response: { status: 200, description: 'A page of them.', body: MapJobList },
  examples: { newest: { summary: 'The ten newest', query: { page_size: '10' }, status: 200 } },

  async handle({ account, query }, { maps }) {
    const page = { page: query.page, pageSize: query.page_size }
    const filter = {
      accountId: account.id,
      urlPart: query.url || undefined,
      status: query.status,
      createdFromMs: query.start_date,
      createdToMs: query.end_date,
    }
    const { items, ...envelope } = toEnvelope(
      await maps.list(filter, page),
      page,
      ({ job, task }) => mapHead(job, task),
    )
    return { jobs: items, ...envelope }
  },
})
