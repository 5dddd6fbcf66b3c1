import { cancelExamples } from '../../../wire/tasks/examples.ts'
import { TaskDetails } from '../../../wire/tasks/responses.ts'
import { TaskIdPath, toTaskDetails } from '../../../wire/tasks/to-responses.ts'
import { defineRoute } from '../../route.ts'

export const cancelTaskById = defineRoute({
  operationId: 'cancelTaskById',
  method: 'DELETE',
  path: '/v1/tasks/:task_id',
  family: 'tasks',
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
