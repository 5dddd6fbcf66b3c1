import { scrapeExamples } from '../../../wire/scrape/examples.ts'
import { TaskObject } from '../../../wire/scrape/responses.ts'
import { toTaskObject } from '../../../wire/scrape/task-object.ts'
import { TaskPath } from '../../requests/task-ids.ts'
import { defineRoute } from '../../route.ts'

export const redeliverTask = defineRoute({
  operationId: 'redeliverTask',
  method: 'POST',
  path: '/api/scraper/scrape/callback/:request_id/redeliver',
  family: 'scraper',
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
