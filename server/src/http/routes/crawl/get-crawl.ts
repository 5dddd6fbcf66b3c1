import { CrawlJob } from '../../../wire/crawl/responses.ts'
import { crawlHead } from '../../../wire/crawl/to-responses.ts'
import { crawlExamples } from '../../../wire/jobs/examples.ts'
import { getJobFields, jobResponse, ndjsonType } from '../../responses/jobs.ts'
import { defineRoute } from '../../route.ts'

export const getCrawl = defineRoute({
  operationId: 'getCrawl',
  method: 'GET',
  path: '/v1/crawl/:job_id',
  aliases: ['/v1/crawl/jobs/:job_id'],
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
