import { z } from 'zod'
import { TaskStatus } from '../../../wire/named-enums.ts'
import { PageQuery } from '../../../wire/pagination.ts'
import { DateQuery } from '../../../wire/query-dates.ts'
import { SearchListItem } from '../../../wire/search/responses.ts'
import { defineRoute } from '../../route.ts'

export const listSearchJobs = defineRoute({
  operationId: 'listSearchJobs',
  method: 'GET',
  path: '/v1/search/jobs',
  family: 'search',
  summary: 'List searches, newest first',
  description: 'No search engine is configured, so the list is empty.',
  query: PageQuery.extend({
    ...DateQuery.shape,
    query: z.string().optional().describe('Only searches for this text or a part of it.'),
    status: TaskStatus.optional().describe('Only searches with this status.'),
  }),
  response: {
    status: 200,
    description: 'A page of them.',
    body: z
      .object({
        jobs: z.array(SearchListItem),
        page: z.int().describe('The page asked for.'),
        page_size: z.int(),
        page_count: z.int().describe('How many pages there are; 0 when there is nothing.'),
      })
      .meta({ id: 'SearchList' }),
  },
  examples: {
    newest: {
      summary: 'The ten newest',
      query: { page_size: '10' },
      status: 200,
      response: { jobs: [], page: 1, page_size: 10, page_count: 0 },
    },
  },

  handle: ({ query }) => ({
    jobs: [],
    page: query.page,
    page_size: query.page_size,
    page_count: 0,
  }),
})
