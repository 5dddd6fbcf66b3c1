import { z } from 'zod'
import { TaskStatus } from '../../wire/named-enums.ts'
import { PageQuery, pageEnvelope, pageOf, toEnvelope } from '../../wire/pagination.ts'
import { scrapeExamples } from '../../wire/scrape/examples.ts'
import { TaskObject } from '../../wire/scrape/responses.ts'
import { toTaskObject } from '../../wire/scrape/to-responses.ts'
import { TaskPath } from '../requests/task-ids.ts'
import { resultResponse, targetFailures, toResultResponse } from '../responses/tasks.ts'
import { defineRoute, type Route, RouteResponse } from '../route.ts'

const listTasks = defineRoute('scraper', {
  operationId: 'listTasks',
  request: 'GET /api/scraper/scrape/callback',
  takesTurns: true,
  summary: 'List tasks, newest first',
  query: PageQuery.extend({
    status: TaskStatus.optional().describe('Only tasks with this status.'),
  }),
  response: {
    description: 'A page of them.',
    body: pageEnvelope(TaskObject).meta({ id: 'TaskList' }),
  },
  examples: scrapeExamples.list,

  async handle({ account, query }, { tasks }) {
    const found = await tasks.list(account.id, { ...pageOf(query), status: query.status })
    return toEnvelope(found, query, toTaskObject)
  },
})

const getTask = defineRoute('scraper', {
  operationId: 'getTask',
  request: 'GET /api/scraper/scrape/callback/:request_id',
  summary: 'Get the status of a task',
  params: TaskPath,
  response: { description: 'The task.', body: TaskObject },
  failures: ['NOT_FOUND'],
  examples: scrapeExamples.get,
  handle: async ({ account, params }, { tasks }) =>
    toTaskObject(await tasks.get(account.id, params.request_id)),
})

const getTaskResult = defineRoute('scraper', {
  operationId: 'getTaskResult',
  request: 'GET /api/scraper/scrape/callback/:request_id/result',
  mayTakeLong: true,
  summary: 'Get the result of a task',
  description: 'The same response that the realtime mode would have given, failures included.',
  params: TaskPath,
  response: resultResponse,
  failures: [
    'NOT_FOUND',
    'CONFLICT',
    'CANCELLED',
    'EXPIRED',
    'RATE_LIMITED',
    'OVERLOADED',
    'URL_NOT_ALLOWED',
    ...targetFailures,
  ],
  examples: scrapeExamples.result,
  handle: async ({ account, params, disconnected }, { tasks }) =>
    toResultResponse(await tasks.getResult(account.id, params.request_id, disconnected)),
})

const getTaskScreenshot = defineRoute('scraper', {
  operationId: 'getTaskScreenshot',
  request: 'GET /api/scraper/scrape/callback/:request_id/screenshot',
  mayTakeLong: true,
  summary: 'Get the screenshot of a task',
  description: 'The link in a result has a `signature` and needs no credentials.',
  params: TaskPath,
  query: z.object({
    signature: z.string().optional().describe('Replaces credentials, for this image only.'),
  }),
  response: {
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

const redeliverTask = defineRoute('scraper', {
  operationId: 'redeliverTask',
  request: 'POST /api/scraper/scrape/callback/:request_id/redeliver',
  summary: 'Send the callback of a task once more',
  description: 'Beside the schedule, with the same `webhook-id`; it counts as an attempt.',
  params: TaskPath,
  response: { status: 202, description: 'It will be sent.', body: TaskObject },
  newWork: 'delivery',
  failures: ['NOT_FOUND', 'CONFLICT', 'EXPIRED'],
  examples: scrapeExamples.redeliver,

  async handle({ account, params }, { tasks }) {
    await tasks.redeliver(account.id, params.request_id)
    return toTaskObject(await tasks.get(account.id, params.request_id))
  },
})

const cancelTask = defineRoute('scraper', {
  operationId: 'cancelTask',
  request: 'DELETE /api/scraper/scrape/callback/:request_id',
  summary: 'Cancel a task',
  description: 'A cancelled task sends no callback; webhooks are notified.',
  params: TaskPath,
  response: { status: 202, description: 'The task, cancelled.', body: TaskObject },
  failures: ['NOT_FOUND', 'CONFLICT'],
  examples: scrapeExamples.cancel,

  async handle({ account, params }, { tasks }) {
    await tasks.cancel(account.id, params.request_id)
    return toTaskObject(await tasks.get(account.id, params.request_id))
  },
})

export const callbackTaskRoutes: readonly Route[] = [
  listTasks,
  getTask,
  getTaskResult,
  getTaskScreenshot,
  redeliverTask,
  cancelTask,
]
