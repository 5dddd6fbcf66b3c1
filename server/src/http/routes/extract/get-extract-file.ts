import { z } from 'zod'
import { JobPath } from '../../requests/task-ids.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

export const getExtractFile = defineRoute({
  operationId: 'getExtractFile',
  method: 'GET',
  path: '/v1/extract/:job_id/file',
  family: 'extract',
  summary: 'Get the file that a target sent',
  description: 'The link in a result has a `signature` and needs no credentials.',
  params: JobPath,
  query: z.object({
    signature: z.string().optional().describe('Replaces credentials, for this file only.'),
  }),
  response: {
    status: 200,
    description: 'The file. Images are shown by a browser, everything else is saved.',
    body: z.string(),
    contentType: 'application/octet-stream',
  },
  failures: ['NOT_FOUND', 'CONFLICT', 'EXPIRED', 'RATE_LIMITED'],
  examples: { file: { summary: 'The file of a job', status: 200 } },

  findLinkOwner({ params, query }, { tasks }) {
    const { job_id } = params
    const { signature } = query
    const isSigned = job_id !== undefined && typeof signature === 'string'
    return isSigned ? tasks.findLinkOwner('file', job_id, signature) : undefined
  },

  async handle({ account, params, disconnected }, { tasks }) {
    const file = await tasks.getFile(account.id, params.job_id, disconnected)
    const { imageType, contentType, bytes } = file
    return new RouteResponse(bytes, {
      headers: {
        // Only what is an image by its bytes is shown; anything else could be a foreign page.
        'content-type': imageType ?? singleType(contentType),
        'content-disposition': imageType ? 'inline' : 'attachment',
        'cache-control': 'private',
      },
    })
  },
})

/** A header with several types, or with something that is none, is not passed on. */
function singleType(contentType: string): string {
  const type = contentType.split(';', 1)[0]?.trim() ?? ''
  return oneType.test(type) && !loadable.test(type) ? type : 'application/octet-stream'
}

const oneType = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/

/**
 * Scripts and styles, which a page of ours would take from its own origin (CSP `'self'`), whatever their
 * disposition. No file is text: a script with a NUL in a comment is a file, and still runs.
 */
const loadable = /^text\/|script/i
