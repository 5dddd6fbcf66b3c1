import { z } from 'zod'
import { previewKinds } from '../../../domain/task/preview.ts'
import { TaskIdPath } from '../../../wire/tasks/to-responses.ts'
import { previewHeaders } from '../../responses/security-headers.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

export const previewTask = defineRoute({
  operationId: 'previewTask',
  method: 'GET',
  path: '/v1/tasks/:task_id/preview',
  family: 'tasks',
  summary: 'Look at what a task has scraped',
  description:
    'For a sandboxed frame: a content security policy keeps the page from running scripts, loading anything and submitting forms. Any completed task has `html` and `markdown`, whatever formats it asked for; of longer pages the first 4 Mi characters of HTML, or 512 Ki of markdown, are shown.',
  params: TaskIdPath,
  query: z.object({
    format: z
      .enum(previewKinds)
      .default('html')
      .describe('The page as it was scraped, its markdown as a page, or its image.'),
  }),
  response: {
    status: 200,
    description: 'A page, or an image.',
    contentType: 'text/html; charset=utf-8',
    alsoAs: ['image/*'],
    body: z.string(),
  },
  failures: [
    'NOT_FOUND',
    'CONFLICT',
    'EXPIRED',
    'RATE_LIMITED',
    'BAD_RESPONSE',
    'UNSUPPORTED_CONTENT',
    'CONTENT_TOO_COMPLEX',
  ],
  examples: {
    html: { summary: 'The page', status: 200 },
    markdown: { summary: 'Its markdown', query: { format: 'markdown' }, status: 200 },
  },

  async handle({ account, params, query: { format }, disconnected }, { tasks }) {
    if (format === 'screenshot') {
      const { type, bytes } = await tasks.getScreenshot(account.id, params.task_id, disconnected)
      return shown(bytes, `image/${type}`)
    }
    const asked = { accountId: account.id, id: params.task_id, format, disconnected }
    const bytes = await tasks.getPreview(asked)
    return shown(bytes, 'text/html; charset=utf-8')
  },
})

const shown = (bytes: Uint8Array, contentType: string): RouteResponse =>
  new RouteResponse(bytes, {
    headers: { ...previewHeaders, 'content-type': contentType, 'content-disposition': 'inline' },
  })
