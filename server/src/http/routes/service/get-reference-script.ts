import { z } from 'zod'
import { referenceScript, referenceScriptPath } from '../../pages/reference-script.ts'
import { defineRoute } from '../../route.ts'

export const getReferenceScript = defineRoute({
  operationId: 'getReferenceScript',
  method: 'GET',
  path: referenceScriptPath,
  family: 'service',
  summary: 'The script of the reference page, which adds forms to try requests',
  response: {
    status: 200,
    description: 'The script.',
    contentType: 'text/javascript; charset=utf-8',
    body: z.string(),
  },
  examples: { script: { summary: 'The script', status: 200 } },
  handle: () => referenceScript().text,
})
