import { z } from 'zod'
import { type FailureCode, failures } from '../../../domain/failure.ts'
import { storableText } from '../../../domain/storable-text.ts'
import { UrlPart } from '../../../domain/url-part.ts'
import { TaskStatus } from '../../../wire/named-enums.ts'
import { PageQuery, toEnvelope } from '../../../wire/pagination.ts'
import { DateQuery } from '../../../wire/query-dates.ts'
import { searchExamples } from '../../../wire/tasks/examples.ts'
import { TaskSearchResult } from '../../../wire/tasks/responses.ts'
import { toTaskSummary } from '../../../wire/tasks/to-responses.ts'
import { defineRoute } from '../../route.ts'

export const searchTasks = defineRoute({
  operationId: 'searchTasks',
  method: 'GET',
  path: '/v1/tasks',
  family: 'tasks',
  takesTurns: true,
  summary: 'Search all tasks, newest first',
  description:
    'Holds tasks of every kind: callback and realtime scrapes, extractions, and the pages of batches, crawls and maps.',
  query: PageQuery.extend(DateQuery.shape).extend({
    status: TaskStatus.optional().describe('Only tasks with this status.'),
    url: UrlPart.optional().describe('Only URLs that contain this, in any case.'),
    host: storableText(300)
      .toLowerCase()
      .regex(/^[^\s/?#@\\%'"]+$/)
      .optional()
      .describe('Only URLs of this host: `example.com`, or `example.com:8443` for one port.'),
    code: z
      .enum(Object.keys(failures) as [FailureCode, ...FailureCode[]])
      .optional()
      .describe('Only tasks that failed with this code.'),
    job: z.guid().toLowerCase().optional().describe('Only pages of this batch, crawl or map.'),
  }),
  response: { status: 200, description: 'A page of them.', body: TaskSearchResult },
  examples: searchExamples,

  async handle({ account, query, disconnected }, { tasks }) {
    const page = { page: query.page, pageSize: query.page_size }
    const found = await tasks.search({
      accountId: account.id,
      ...page,
      status: query.status,
      url: query.url || undefined,
      signal: disconnected,
      host: query.host,
      code: query.code,
      jobId: query.job,
      createdFromMs: query.start_date,
      createdToMs: query.end_date,
    })
    const { items, ...envelope } = toEnvelope(found, page, toTaskSummary)
    return { tasks: items, ...envelope, is_capped: found.isCapped }
  },
})
