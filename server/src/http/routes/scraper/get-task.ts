import { scrapeExamples } from '../../../wire/scrape/examples.ts'
import { TaskObject } from '../../../wire/scrape/responses.ts'
import { toTaskObject } from '../../../wire/scrape/task-object.ts'
import { TaskPath } from '../../requests/task-ids.ts'
import { defineRoute } from '../../route.ts'

export const getTask = defineRoute({
  operationId: 'getTask',
  method: 'GET',
  path: '/api/scraper/scrape/callback/:request_id',
  family: 'scraper',
  summary: 'Get the status of a task',
  params: TaskPath,
  response: { status: 200, description: 'The task.', body: TaskObject },
  failures: ['NOT_FOUND'],
  examples: scrapeExamples.get,
  handle: async ({ account, params }, { tasks }) =>
    toTaskObject(await tasks.get(account.id, params.request_id)),
})
