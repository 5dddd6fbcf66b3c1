import { z } from 'zod'
import { Failure } from '../../../domain/failure.ts'
import { SearchHit, safeLevels, timeRanges } from '../../../wire/search/responses.ts'
import { defineRoute } from '../../route.ts'

export const runSearch = defineRoute({
  operationId: 'runSearch',
  method: 'POST',
  path: '/v1/search',
  family: 'search',
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
    status: 200,
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
