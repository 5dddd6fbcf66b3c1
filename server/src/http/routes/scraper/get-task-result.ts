import { scrapeExamples } from '../../../wire/scrape/examples.ts'
import { TaskPath } from '../../requests/task-ids.ts'
import { resultResponse, targetFailures, toResultResponse } from '../../responses/tasks.ts'
import { defineRoute } from '../../route.ts'

export const getTaskResult = defineRoute({
  operationId: 'getTaskResult',
  method: 'GET',
  path: '/api/scraper/scrape/callback/:request_id/result',
  family: 'scraper',
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
