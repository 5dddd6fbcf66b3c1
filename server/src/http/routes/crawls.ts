import { toJobConfig } from '../../domain/job/job-config.ts'
import { redactUrl } from '../../domain/redact-url.ts'
import { planExtraction } from '../../domain/scrape/plan-extraction.ts'
import { CrawlRequest } from '../../wire/crawl/requests.ts'
import {
  AcceptedCrawl,
  CancelledCrawl,
  CrawlJob,
  CrawlJobList,
} from '../../wire/crawl/responses.ts'
import { crawlHead, crawlItem } from '../../wire/crawl/to-responses.ts'
import { crawlExamples } from '../../wire/jobs/examples.ts'
import { explainKeyReuse, IdempotencyHeader, idempotencyOf } from '../requests/idempotency-key.ts'
import { JobsOfSiteQuery } from '../requests/jobs-query.ts'
import { singleHeaders } from '../requests/scrape-request.ts'
import { JobPath } from '../requests/task-ids.ts'
import { acceptedResponse } from '../responses/accepted.ts'
import { listOfJobs } from '../responses/job-lists.ts'
import { getJobFields, jobResponse, ndjsonType } from '../responses/jobs.ts'
import { defineRoute, type Route } from '../route.ts'

const createCrawl = defineRoute('crawl', {
  operationId: 'createCrawl',
  request: 'POST /v1/crawl',
  summary: 'Extract the content of a site, link by link',
  description:
    'Breadth first, each page once. robots.txt is obeyed, and a host is asked for a few pages at once.',
  headers: IdempotencyHeader,
  body: CrawlRequest,
  response: {
    status: 202,
    description: 'The job is accepted.',
    body: AcceptedCrawl,
    headers: ['Location', 'X-Job-Id', 'Idempotency-Replayed'],
  },
  newWork: 'task',
  failures: ['URL_NOT_ALLOWED', 'NO_PROXY_AVAILABLE', 'BROWSER_UNAVAILABLE', 'CONFLICT'],
  examples: crawlExamples.create,

  async handle({ account, body, headers, raw }, { crawls }) {
    const forwardedHeaders = body.configurations.keep_headers ? singleHeaders(raw.headers) : {}
    const { purpose, ...seed } = planExtraction(body.url, body, 'async')
    const { id, isReplay } = await crawls
      .submit(account.id, {
        plan: {
          seed: { ...seed, extract: purpose.extract, forwardedHeaders },
          depth: body.depth,
          limit: body.limit,
          sameDomainOnly: body.same_domain_only,
          includeSubdomains: body.include_subdomains,
          includePaths: body.include_paths,
          excludePaths: body.exclude_paths,
          respectsRobots: body.respect_robots,
          delayMs: body.delay_ms,
          usesSitemaps: body.use_sitemaps,
          maxAgeMs: body.max_age,
        },
        config: toJobConfig(body),
        callbackUrl: body.callback_url ?? null,
        idempotency: idempotencyOf(headers['idempotency-key'], { crawl: raw.body }),
      })
      .catch(explainKeyReuse)
    const location = `/v1/crawl/${id}`
    const accepted = {
      job_id: id,
      url: redactUrl(body.url),
      status: 'queued',
      status_url: location,
      estimated_pages: body.depth === 1 ? 1 : body.limit,
    }
    return acceptedResponse(accepted, { location, jobId: id, isReplay })
  },
})

const listCrawls = defineRoute('crawl', {
  operationId: 'listCrawls',
  request: 'GET /v1/crawl/jobs',
  takesTurns: true,
  summary: 'List crawls, newest first',
  query: JobsOfSiteQuery,
  response: { description: 'A page of them.', body: CrawlJobList },
  examples: crawlExamples.list,

  handle: (request, { crawls }) => listOfJobs(crawls.list, request, crawlItem),
})

const getCrawl = defineRoute('crawl', {
  operationId: 'getCrawl',
  request: 'GET /v1/crawl/:job_id',
  mayTakeLong: true,
  aliases: ['/v1/crawl/jobs/:job_id'],
  summary: 'Get a crawl with a page of its results',
  ...getJobFields,
  response: {
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

const cancelCrawl = defineRoute('crawl', {
  operationId: 'cancelCrawl',
  request: 'DELETE /v1/crawl/:job_id',
  mayTakeLong: true,
  summary: 'Cancel a crawl',
  description: 'Nothing new starts; pages that are being fetched end.',
  params: JobPath,
  response: { status: 202, description: 'The crawl is cancelled.', body: CancelledCrawl },
  failures: ['NOT_FOUND', 'CONFLICT'],
  examples: crawlExamples.cancel,

  async handle({ account, params }, { crawls }) {
    const { id, counts } = await crawls.cancel(account.id, params.job_id)
    return {
      job_id: id,
      status: 'cancelled' as const,
      status_url: `/v1/crawl/${id}`,
      in_flight_pages: counts.open,
    }
  },
})

export const crawlRoutes: readonly Route[] = [createCrawl, listCrawls, getCrawl, cancelCrawl]
