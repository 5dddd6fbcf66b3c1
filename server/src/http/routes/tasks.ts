import { z } from 'zod'
import { type FailureCode, failures } from '../../domain/failure.ts'
import { storableText } from '../../domain/storable-text.ts'
import { previewKinds } from '../../domain/task/preview.ts'
import { UrlPart } from '../../domain/url-part.ts'
import { isoTime } from '../../runtime/iso-time.ts'
import { TaskStatus } from '../../wire/named-enums.ts'
import { PageQuery, pageOf, toEnvelope } from '../../wire/pagination.ts'
import { DateQuery } from '../../wire/query-dates.ts'
import {
  cancelExamples,
  detailsExamples,
  responseExamples,
  retryExamples,
  searchExamples,
} from '../../wire/tasks/examples.ts'
import {
  AcceptedRetry,
  TargetResponse,
  TaskDetails,
  TaskSearchResult,
} from '../../wire/tasks/responses.ts'
import {
  TaskIdPath,
  toTargetResponse,
  toTaskDetails,
  toTaskSummary,
} from '../../wire/tasks/to-responses.ts'
import { explainKeyReuse, IdempotencyHeader, idempotencyOf } from '../requests/idempotency-key.ts'
import { acceptedResponse } from '../responses/accepted.ts'
import { previewHeaders } from '../responses/security-headers.ts'
import { defineRoute, type Route, RouteResponse } from '../route.ts'

const searchTasks = defineRoute('tasks', {
  operationId: 'searchTasks',
  request: 'GET /v1/tasks',
  takesTurns: true,
  summary: 'Search all tasks, newest first',
  description:
    'Holds tasks of every kind: callback and realtime scrapes, extractions, and the pages of batches, crawls and maps.',
  query: PageQuery.extend(DateQuery.shape).extend({
    status: TaskStatus.optional().describe('Only tasks with this status.'),
    url: UrlPart.optional().describe('Only URLs that contain this, in any case.'),
    host: storableText(300)
      .toLowerCase()
      .regex(/^[^\s/?#@\\%'"]+$/)
      .optional()
      .describe('Only URLs of this host: `example.com`, or `example.com:8443` for one port.'),
    code: z
      .enum(Object.keys(failures) as [FailureCode, ...FailureCode[]])
      .optional()
      .describe('Only tasks that failed with this code.'),
    job: z.guid().toLowerCase().optional().describe('Only pages of this batch, crawl or map.'),
  }),
  response: { description: 'A page of them.', body: TaskSearchResult },
  examples: searchExamples,

  async handle({ account, query, disconnected }, { tasks }) {
    const found = await tasks.search({
      accountId: account.id,
      ...pageOf(query),
      status: query.status,
      url: query.url || undefined,
      signal: disconnected,
      host: query.host,
      code: query.code,
      jobId: query.job,
      createdFromMs: query.start_date,
      createdToMs: query.end_date,
    })
    const { items, ...envelope } = toEnvelope(found, query, toTaskSummary)
    return { tasks: items, ...envelope, is_capped: found.isCapped }
  },
})

const getTaskDetails = defineRoute('tasks', {
  operationId: 'getTaskDetails',
  request: 'GET /v1/tasks/:task_id',
  summary: 'Get a task with its attempts and deliveries',
  description: 'Serves tasks of every kind. `GET /v1/extract/{job_id}` has the content.',
  params: TaskIdPath,
  response: { description: 'The task; a failed one too.', body: TaskDetails },
  failures: ['NOT_FOUND'],
  examples: detailsExamples,
  handle: async ({ account, params }, { tasks }) =>
    toTaskDetails(await tasks.getDetails(account.id, params.task_id)),
})

const getTaskResponse = defineRoute('tasks', {
  operationId: 'getTaskResponse',
  request: 'GET /v1/tasks/:task_id/response',
  mayTakeLong: true,
  summary: 'Get what the target answered, without the content',
  description:
    'Headers, cookies and the requests of the page, of any completed task. The console of a page, and its requests in a browser, are recorded with `debug`.',
  params: TaskIdPath,
  response: { description: 'The answer.', body: TargetResponse },
  failures: ['NOT_FOUND', 'CONFLICT', 'EXPIRED', 'RATE_LIMITED'],
  examples: responseExamples,
  handle: async ({ account, params, disconnected }, { tasks }) =>
    toTargetResponse(await tasks.getPageFacts(account.id, params.task_id, disconnected)),
})

const previewTask = defineRoute('tasks', {
  operationId: 'previewTask',
  request: 'GET /v1/tasks/:task_id/preview',
  mayTakeLong: true,
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
    html: { summary: 'The page' },
    markdown: { summary: 'Its markdown', query: { format: 'markdown' } },
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

const retryTask = defineRoute('tasks', {
  operationId: 'retryTask',
  request: 'POST /v1/tasks/:task_id/retry',
  summary: 'Run the request of an ended task again',
  description:
    'Creates a new task with the same request and callback. A page of a batch or crawl becomes a single extraction.',
  params: TaskIdPath,
  headers: IdempotencyHeader,
  body: z
    .object({
      callback: z
        .boolean()
        .default(true)
        .describe('False leaves out the callback (replay): the result is only kept.'),
    })
    .optional(),
  response: {
    status: 202,
    description: 'The new task is accepted.',
    body: AcceptedRetry,
    headers: ['Location'],
  },
  newWork: 'task',
  failures: [
    'NOT_FOUND',
    'CONFLICT',
    'EXPIRED',
    'URL_NOT_ALLOWED',
    'NO_PROXY_AVAILABLE',
    'BROWSER_UNAVAILABLE',
  ],
  examples: retryExamples,

  async handle({ account, params, headers, body, raw }, { tasks }) {
    const retryOf = params.task_id
    const { id, createdAtMs, isReplay } = await tasks
      .retry(account.id, retryOf, {
        callsBack: body?.callback ?? true,
        idempotency: idempotencyOf(headers['idempotency-key'], {
          retry: retryOf,
          body: raw.body ?? null,
        }),
      })
      .catch(explainKeyReuse)
    const location = `/v1/tasks/${id}`
    const accepted = {
      id,
      status: 'queued',
      retry_of: retryOf,
      status_url: location,
      created_at: isoTime(createdAtMs),
    }
    return acceptedResponse(accepted, { location, isReplay })
  },
})

const cancelTaskById = defineRoute('tasks', {
  operationId: 'cancelTaskById',
  request: 'DELETE /v1/tasks/:task_id',
  summary: 'Cancel a task of any kind',
  description:
    'A cancelled task sends no callback; webhooks are notified. A page of a job counts as cancelled, and the job goes on.',
  params: TaskIdPath,
  response: { status: 202, description: 'The task, cancelled.', body: TaskDetails },
  failures: ['NOT_FOUND', 'CONFLICT'],
  examples: cancelExamples,

  async handle({ account, params }, { tasks }) {
    await tasks.cancel(account.id, params.task_id)
    return toTaskDetails(await tasks.getDetails(account.id, params.task_id))
  },
})

export const taskRoutes: readonly Route[] = [
  searchTasks,
  getTaskDetails,
  getTaskResponse,
  previewTask,
  retryTask,
  cancelTaskById,
]
