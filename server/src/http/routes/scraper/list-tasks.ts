import { PageQuery, pageEnvelope, toEnvelope } from '../../../domain/pagination.ts'
import { TaskStatus } from '../../../domain/task/named-enums.ts'
import { TaskObject } from '../../../domain/task/task-object.ts'
import { defineRoute } from '../../route.ts'
import { scrapeExamples } from '../../scrape-examples.ts'
import { toTaskObject } from '../../task-bodies.ts'

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
