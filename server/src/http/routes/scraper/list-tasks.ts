import { TaskStatus } from '../../../wire/named-enums.ts'
import { PageQuery, pageEnvelope, toEnvelope } from '../../../wire/pagination.ts'
import { scrapeExamples } from '../../../wire/scrape/examples.ts'
import { TaskObject } from '../../../wire/scrape/responses.ts'
import { toTaskObject } from '../../../wire/scrape/task-object.ts'
import { defineRoute } from '../../route.ts'

export const listTasks = defineRoute({
  operationId: 'listTasks',
  method: 'GET',
  path: '/api/scraper/scrape/callback',
  family: 'scraper',
  takesTurns: true,
  summary: 'List tasks, newest first',
  query: PageQuery.extend({
    status: TaskStatus.optional().describe('Only tasks with this status.'),
  }),
  response: {
    status: 200,
    description: 'A page of them.',
    body: pageEnvelope(TaskObject).meta({ id: 'TaskList' }),
  },
  examples: scrapeExamples.list,

  async handle({ account, query }, { tasks }) {
    const page = { page: query.page, pageSize: query.page_size }
    const found = await tasks.list(account.id, { ...page, status: query.status })
    return toEnvelope(found, page, toTaskObject)
  },
})
