import { frontPage } from '../../pages/front-page.ts'
import { pageResponse } from '../../pages/html-page.ts'
import { defineRoute } from '../../route.ts'

export const getFrontPage = defineRoute({
  operationId: 'getFrontPage',
  method: 'GET',
  path: '/',
  family: 'service',
  summary: 'The dashboard; until it is built, health and a first request to copy',
  response: pageResponse,
  examples: { page: { summary: 'The page', status: 200 } },
  handle: ({ raw }, useCases) => frontPage(raw.headers, useCases),
})
