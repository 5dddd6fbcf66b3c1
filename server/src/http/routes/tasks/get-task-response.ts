import { responseExamples } from '../../../wire/tasks/examples.ts'
import { TargetResponse } from '../../../wire/tasks/target-response.ts'
import { TaskIdPath } from '../../../wire/tasks/to-responses.ts'
import { toTargetResponse } from '../../../wire/tasks/to-target-response.ts'
import { defineRoute } from '../../route.ts'

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
