import { z } from 'zod'
import { Failure } from '../../../domain/failure.ts'
import { SearchHit, SearchListItem, SearchPath } from '../../../wire/search/responses.ts'
import { defineRoute } from '../../route.ts'

export const getSearchJob = defineRoute({
  operationId: 'getSearchJob',
  method: 'GET',
  path: '/v1/search/:job_id',
  aliases: ['/v1/search/jobs/:job_id'],
  family: 'search',
  summary: 'Get a search with its results',
  params: SearchPath,
  response: {
    status: 200,
    description: 'The search.',
    body: SearchListItem.extend({ results: z.array(SearchHit) }).meta({ id: 'SearchJob' }),
  },
  failures: ['NOT_FOUND'],
  examples: { unknown: { summary: 'No search exists yet', status: 404 } },

  async handle() {
    throw new Failure('NOT_FOUND', 'There is no search with this id.')
  },
})
