import { z } from 'zod'
import { defineRoute, RouteResponse } from '../../route.ts'

export const getReference = defineRoute({
  operationId: 'getReference',
  method: 'GET',
  path: '/reference',
  family: 'service',
  summary: 'This API as a page to read',
  response: {
    status: 200,
    description: 'The page.',
    contentType: 'text/html; charset=utf-8',
    body: z.string(),
  },
  handle(_request, { referencePage }) {
    const { body, headers } = referencePage()
    return new RouteResponse(body, { headers })
  },
})
