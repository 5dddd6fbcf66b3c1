import { detailsExamples } from '../../../wire/tasks/examples.ts'
import { TaskDetails } from '../../../wire/tasks/responses.ts'
import { TaskIdPath, toTaskDetails } from '../../../wire/tasks/to-responses.ts'
import { defineRoute } from '../../route.ts'

export const getTaskDetails = defineRoute({
  operationId: 'getTaskDetails',
  method: 'GET',
  path: '/v1/tasks/:task_id',
  family: 'tasks',
  summary: 'Get a task with its attempts and deliveries',
  description: 'Serves tasks of every kind. `GET /v1/extract/{job_id}` has the content.',
  params: TaskIdPath,
  response: { status: 200, description: 'The task; a failed one too.', body: TaskDetails },
  failures: ['NOT_FOUND'],
  examples: detailsExamples,
  handle: async ({ account, params }, { tasks }) =>
    toTaskDetails(await tasks.getDetails(account.id, params.task_id)),
})
