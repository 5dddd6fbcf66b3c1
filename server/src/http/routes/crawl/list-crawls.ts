import { z } from 'zod'
import { CrawlJobList } from '../../../domain/job/crawl-object.ts'
import { PageQuery, toEnvelope } from '../../../domain/pagination.ts'
import { DateQuery } from '../../../domain/query-dates.ts'
import { taskStatuses } from '../../../domain/task/task.ts'
import { crawlItem } from '../../../jobs/crawl-json.ts'
import { defineRoute } from '../../route.ts'

export const listCrawls = defineRoute({
  operationId: 'listCrawls',
  method: 'GET',
  path: '/v1/crawl/jobs',
  family: 'crawl',
  summary: 'List crawls, newest first',
  query: PageQuery.extend(DateQuery.shape).extend({
    url: z.string().max(8192).optional().describe('Part of the URL.'),
    status: z.enum(taskStatuses).optional().describe('Only crawls with this status.'),
  }),
  response: { status: 200, description: 'A page of them.', body: CrawlJobList },
  examples: { newest: { summary: 'The ten newest', query: { page_size: '10' }, status: 200 } },

  async handle({ account, query }, { crawls }) {
    const page = { page: query.page, pageSize: query.page_size }
    const filter = {
      accountId: account.id,
      urlPart: query.url || undefined,
      status: query.status,
      createdFromMs: query.start_date,
      createdToMs: query.end_date,
    }
    const { items, ...envelope } = toEnvelope(await crawls.list(filter, page), page, crawlItem)
    return { jobs: items, ...envelope }
  },
})
