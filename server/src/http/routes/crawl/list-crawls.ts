import { CrawlJobList } from '../../../wire/crawl/responses.ts'
import { crawlItem } from '../../../wire/crawl/to-responses.ts'
import { crawlExamples } from '../../../wire/jobs/examples.ts'
import { JobsOfSiteQuery } from '../../requests/jobs-query.ts'
import { listOfJobs } from '../../responses/job-lists.ts'
import { defineRoute } from '../../route.ts'

export const listCrawls = defineRoute({
  operationId: 'listCrawls',
  method: 'GET',
  path: '/v1/crawl/jobs',
  family: 'crawl',
  takesTurns: true,
  summary: 'List crawls, newest first',
  query: JobsOfSiteQuery,
  response: { status: 200, description: 'A page of them.', body: CrawlJobList },
  examples: crawlExamples.list,

  handle: (request, { crawls }) => listOfJobs(crawls.list, request, crawlItem),
})
