import { z } from 'zod'
import { CrawlJob } from '../../../domain/job/crawl-object.ts'
import { pageQuery } from '../../../domain/pagination.ts'
import { crawlHead } from '../../../jobs/crawl-json.ts'
import { jobResponse, ndjsonResponse, ndjsonType } from '../../job-responses.ts'
import { defineRoute } from '../../route.ts'
import { JobPath, toDelivery } from '../../task-bodies.ts'

export const getCrawl = defineRoute({
  operationId: 'getCrawl',
  method: 'GET',
  path: '/v1/crawl/:job_id',
  family: 'crawl',
  summary: 'Get a crawl with a page of its results',
  description: `With \`Accept: ${ndjsonType}\` every result is a line of its own, without pages: a snapshot of the moment.`,
  params: JobPath,
  query: pageQuery({ sizeMax: 50, sizeByDefault: 10 }),
  headers: z.object({ accept: z.string().optional() }),
  response: {
    status: 200,
    description: 'The crawl, or its results.',
    body: CrawlJob,
    alsoAs: [ndjsonType],
  },
  failures: ['NOT_FOUND'],
  examples: { job: { summary: 'A crawl by its id', status: 200 } },

  async handle({ account, params, query, headers }, { crawls }) {
    const job = await crawls.get(account.id, params.job_id)
    if (headers.accept?.includes(ndjsonType)) {
      const all = crawls.results(job.id, { offset: 0, limit: job.counts.total })
      return ndjsonResponse(all)
    }
    const { page, page_size } = query
    const asked = { offset: (page - 1) * page_size, limit: page_size }
    const delivery =
      job.callbackUrl === null
        ? null
        : toDelivery(await crawls.findCallback(job.id), job.completedAtMs === null)
    const head = { ...crawlHead(job), delivery }
    return jobResponse(head, crawls.results(job.id, asked))
  },
})
