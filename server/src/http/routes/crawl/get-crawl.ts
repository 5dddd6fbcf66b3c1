import { CrawlJob } from '../../../domain/job/crawl-object.ts'
import { crawlHead } from '../../../jobs/crawl-json.ts'
import { crawlExamples } from '../../job-examples.ts'
import { getJobFields, jobResponse, ndjsonType } from '../../job-responses.ts'
import { defineRoute } from '../../route.ts'

export const getCrawl = defineRoute({
  operationId: 'getCrawl',
  method: 'GET',
  path: '/v1/crawl/:job_id',
  family: 'crawl',
  summary: 'Get a crawl with a page of its results',
  ...getJobFields,
  response: {
    status: 200,
    description: 'The crawl, or its results.',
    body: CrawlJob,
    alsoAs: [ndjsonType],
  },
  failures: ['NOT_FOUND'],
  examples: crawlExamples.get,

  async handle({ account, params, query, headers, disconnected }, { crawls }) {
    const job = await crawls.get(account.id, params.job_id)
    const frontier_pages = await crawls.countFrontier(job)
    const head = { ...crawlHead(job), frontier_pages }
    return jobResponse(crawls, { job, head }, { query, headers, disconnected })
  },
})
