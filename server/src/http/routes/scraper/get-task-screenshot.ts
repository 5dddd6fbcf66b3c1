import { z } from 'zod'
import { scrapeExamples } from '../../../wire/scrape/examples.ts'
import { TaskPath } from '../../requests/task-ids.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

export const getTaskScreenshot = defineRoute({
  operationId: 'getTaskScreenshot',
  method: 'GET',
  path: '/api/scraper/scrape/callback/:request_id/screenshot',
  family: 'scraper',
  summary: 'Get the screenshot of a task',
  description: 'The link in a result has a `signature` and needs no credentials.',
  params: TaskPath,
  query: z.object({
    signature: z.string().optional().describe('Replaces credentials, for this image only.'),
  }),
  response: {
    status: 200,
    description: 'The image.',
    body: z.string(),
    contentType: 'image/*',
  },
  failures: ['NOT_FOUND', 'CONFLICT', 'EXPIRED', 'RATE_LIMITED'],
  examples: scrapeExamples.screenshot,

  findLinkOwner({ params, query }, { tasks }) {
    const { request_id } = params
    const { signature } = query
    const isSigned = request_id !== undefined && typeof signature === 'string'
    return isSigned ? tasks.findLinkOwner('screenshot', request_id, signature) : undefined
  },

  async handle({ account, params, disconnected }, { tasks }) {
    const { request_id } = params
    const { type, bytes } = await tasks.getScreenshot(account.id, request_id, disconnected)
    return new RouteResponse(bytes, { headers: { ...inline, 'content-type': `image/${type}` } })
  },
})

/** The browser displays the image instead of saving it; shared caches must not keep it. */
const inline = { 'content-disposition': 'inline', 'cache-control': 'private' }
