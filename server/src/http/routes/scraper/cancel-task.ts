import { scrapeExamples } from '../../../wire/scrape/examples.ts'
import { TaskObject } from '../../../wire/scrape/responses.ts'
import { toTaskObject } from '../../../wire/scrape/task-object.ts'
import { TaskPath } from '../../requests/task-ids.ts'
import { defineRoute } from '../../route.ts'

export const cancelTask = defineRoute({
  operationId: 'cancelTask',
  method: 'DELETE',
  path: '/api/scraper/scrape/callback/:request_id',
  family: 'scraper',
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
