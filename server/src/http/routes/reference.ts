import { z } from 'zod'
import { pageResponse } from '../pages/html-page.ts'
import { referenceScript, referenceScriptPath } from '../pages/reference-script.ts'
import { defineRoute, type Route, RouteResponse } from '../route.ts'

const getOpenapi = defineRoute('service', {
  operationId: 'getOpenapi',
  request: 'GET /openapi.json',
  summary: 'This API as an OpenAPI 3.1 document',
  response: { description: 'The document.', body: z.looseObject({}) },
  examples: { document: { summary: 'The document' } },
  handle: (_request, { apiDocument }) => new RouteResponse(apiDocument()),
})

const getReference = defineRoute('service', {
  operationId: 'getReference',
  request: 'GET /reference',
  summary: 'This API as a page to read',
  response: pageResponse,
  examples: { page: { summary: 'The page' } },
  handle(_request, { referencePage }) {
    const { body, headers } = referencePage()
    return new RouteResponse(body, { headers })
  },
})

const getReferenceScript = defineRoute('service', {
  operationId: 'getReferenceScript',
  request: `GET ${referenceScriptPath}`,
  summary: 'The script of the reference page, which adds forms to try requests',
  response: {
    description: 'The script.',
    contentType: 'text/javascript; charset=utf-8',
    body: z.string(),
  },
  examples: { script: { summary: 'The script' } },
  handle: () => referenceScript.text,
})

const getLlmsTxt = defineRoute('service', {
  operationId: 'getLlmsTxt',
  request: 'GET /llms.txt',
  summary: 'A short index of this API for language models',
  response: {
    description: 'Markdown, in the form of llmstxt.org.',
    contentType: 'text/plain; charset=utf-8',
    body: z.string(),
  },
  examples: { index: { summary: 'The index' } },
  handle: (_request, { llmsText }) => new RouteResponse(llmsText()),
})

export const referenceRoutes: readonly Route[] = [
  getOpenapi,
  getReference,
  getReferenceScript,
  getLlmsTxt,
]
