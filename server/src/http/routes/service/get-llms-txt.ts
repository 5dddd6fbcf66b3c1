import { z } from 'zod'
import { defineRoute, RouteResponse } from '../../route.ts'

export const getLlmsTxt = defineRoute({
  operationId: 'getLlmsTxt',
  method: 'GET',
  path: '/llms.txt',
  family: 'service',
  summary: 'A short index of this API for language models',
  response: {
    status: 200,
    description: 'Markdown, in the form of llmstxt.org.',
    contentType: 'text/plain; charset=utf-8',
    body: z.string(),
  },
  examples: { index: { summary: 'The index', status: 200 } },
  handle: (_request, { llmsText }) => new RouteResponse(llmsText()),
})
