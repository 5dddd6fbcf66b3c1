import { TargetResponse } from '../../../domain/task/target-response.ts'
import { defineRoute } from '../../route.ts'
import { toTargetResponse } from '../../target-responses.ts'
import { TaskIdPath } from '../../task-summaries.ts'
import { responseExamples } from '../../tasks-examples.ts'

export const getTaskResponse = defineRoute({
  operationId: 'getTaskResponse',
  method: 'GET',
  path: '/v1/tasks/:task_id/response',
  family: 'tasks',
  summary: 'Get what the target answered, without the content',
  description:
    'Headers, cookies and the requests of the page, of any completed task. The console of a page, and its requests in a browser, are recorded with `debug`.',
  params: TaskIdPath,
  response: { status: 200, description: 'The answer.', body: TargetResponse },
  failures: ['NOT_FOUND', 'CONFLICT', 'EXPIRED', 'RATE_LIMITED'],
  examples: responseExamples,
  handle: async ({ account, params, disconnected }, { tasks }) =>
    toTargetResponse(await tasks.getPageFacts(account.id, params.task_id, disconnected)),
})
