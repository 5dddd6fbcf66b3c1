import { pageResponse } from '../../pages/html-page.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

export const getReference = defineRoute({
  operationId: 'getReference',
  method: 'GET',
  path: '/reference',
  family: 'service',
  summary: 'This API as a page to read',
  response: pageResponse,
  examples: { page: { summary: 'The page', status: 200 } },
  handle(_request, { referencePage }) {
    const { body, headers } = referencePage()
    return new RouteResponse(body, { headers })
  },
})
