import { z } from 'zod'
import { defineRoute, RouteResponse } from '../../route.ts'

export const getOpenapi = defineRoute({
  operationId: 'getOpenapi',
  method: 'GET',
  path: '/openapi.json',
  family: 'service',
  summary: 'This API as an OpenAPI 3.1 document',
  response: { status: 200, description: 'The document.', body: z.looseObject({}) },
  examples: { document: { summary: 'The document', status: 200 } },
  handle: (_request, { apiDocument }) => new RouteResponse(apiDocument()),
})
