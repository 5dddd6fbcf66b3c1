import { z } from 'zod'
import { Failure } from '../../domain/failure.ts'
import { TaskStatus } from '../../wire/named-enums.ts'
import { PageQuery, pageFields } from '../../wire/pagination.ts'
import { DateQuery } from '../../wire/query-dates.ts'
import { SearchHit, SearchListItem, safeLevels, timeRanges } from '../../wire/search/responses.ts'
import { JobPath } from '../requests/task-ids.ts'
import { defineRoute, type Route } from '../route.ts'

const runSearch = defineRoute('search', {
  operationId: 'runSearch',
  request: 'POST /v1/search',
  summary: 'Search the web',
  description: 'No search engine is configured: every valid request gets `SEARCH_UNAVAILABLE`.',
  body: z.object({
    query: z.string().min(1).max(1_000).describe('What to search for.'),
    locale: z.string().max(35).nullish().describe('A language tag such as `en-US`.'),
    page: z.int().min(1).max(20).nullish().describe('Which page of the results, from 1.'),
    safe: z.enum(safeLevels).nullish().describe('The level of safe search.'),
    time_range: z.enum(timeRanges).nullish().describe('How old the results may be.'),
  }),
  response: {
    description: 'The results.',
    body: z
      .object({
        job_id: z.uuid(),
        query: z.string(),
        page: z.int(),
        results: z.array(SearchHit),
      })
      .meta({ id: 'SearchResults' }),
  },
  failures: ['SEARCH_UNAVAILABLE'],
  examples: {
    search: { summary: 'A search', body: { query: 'cod recipes', locale: 'en-GB' }, status: 503 },
  },

  async handle() {
    throw new Failure('SEARCH_UNAVAILABLE', 'This service has no search engine configured.')
  },
})

const listSearchJobs = defineRoute('search', {
  operationId: 'listSearchJobs',
  request: 'GET /v1/search/jobs',
  summary: 'List searches, newest first',
  description: 'No search engine is configured, so the list is empty.',
  query: PageQuery.extend({
    ...DateQuery.shape,
    query: z.string().optional().describe('Only searches for this text or a part of it.'),
    status: TaskStatus.optional().describe('Only searches with this status.'),
  }),
  response: {
    description: 'A page of them.',
    body: z
      .object({
        jobs: z.array(SearchListItem),
        ...pageFields,
      })
      .meta({ id: 'SearchList' }),
  },
  examples: {
    newest: {
      summary: 'The ten newest',
      query: { page_size: '10' },
      response: { jobs: [], page: 1, page_size: 10, page_count: 0 },
    },
  },

  handle: ({ query: { page, page_size } }) => ({ jobs: [], page, page_size, page_count: 0 }),
})

const getSearchJob = defineRoute('search', {
  operationId: 'getSearchJob',
  request: 'GET /v1/search/:job_id',
  aliases: ['/v1/search/jobs/:job_id'],
  summary: 'Get a search with its results',
  params: JobPath,
  response: {
    description: 'The search.',
    body: SearchListItem.extend({ results: z.array(SearchHit) }).meta({ id: 'SearchJob' }),
  },
  failures: ['NOT_FOUND'],
  examples: { unknown: { summary: 'No search exists yet', status: 404 } },

  async handle() {
    throw new Failure('NOT_FOUND', 'There is no search with this id.')
  },
})

export const searchRoutes: readonly Route[] = [runSearch, listSearchJobs, getSearchJob]
