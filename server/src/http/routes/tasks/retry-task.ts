import { z } from 'zod'
import { isoTime } from '../../../runtime/iso-time.ts'
import { retryExamples } from '../../../wire/tasks/examples.ts'
import { AcceptedRetry } from '../../../wire/tasks/responses.ts'
import { TaskIdPath } from '../../../wire/tasks/to-responses.ts'
import {
  explainKeyReuse,
  IdempotencyHeader,
  idempotencyOf,
} from '../../requests/idempotency-key.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

export const retryTask = defineRoute({
  operationId: 'retryTask',
  method: 'POST',
  path: '/v1/tasks/:task_id/retry',
  family: 'tasks',
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
      status: 'queued' as const,
      retry_of: retryOf,
      status_url: location,
      created_at: isoTime(createdAtMs),
    }
    return new RouteResponse(accepted, {
      status: 202,
      headers: { location, ...(isReplay && { 'idempotency-replayed': 'true' }) },
    })
  },
})
