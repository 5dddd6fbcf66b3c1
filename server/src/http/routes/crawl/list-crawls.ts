import { CrawlJobList } from '../../../domain/job/crawl-object.ts'
import { crawlItem } from '../../../jobs/crawl-json.ts'
import { crawlExamples } from '../../job-examples.ts'
import { JobsOfSiteQuery, listOfJobs } from '../../job-lists.ts'
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
