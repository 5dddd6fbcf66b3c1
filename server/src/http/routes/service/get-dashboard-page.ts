import { frontPage } from '../../pages/front-page.ts'
import { pageResponse } from '../../pages/html-page.ts'
import { defineRoute } from '../../route.ts'

export const getDashboardPage = defineRoute({
  operationId: 'getDashboardPage',
  method: 'GET',
  path: '/app/*',
  family: 'service',
  notInApi:
    'Addresses within the dashboard, which change with it; a program has nothing to read there.',
  summary: 'A page of the dashboard',
  response: pageResponse,
  handle: ({ raw }, useCases) => frontPage(raw.headers, useCases),
})
