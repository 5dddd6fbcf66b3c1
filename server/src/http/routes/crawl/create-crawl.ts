import { toJobConfig } from '../../../domain/job/job-config.ts'
import { redactUrl } from '../../../domain/redact-url.ts'
import { planExtraction } from '../../../domain/scrape/plan-extraction.ts'
import { CrawlRequest } from '../../../wire/crawl/requests.ts'
import { AcceptedCrawl } from '../../../wire/crawl/responses.ts'
import { crawlExamples } from '../../../wire/jobs/examples.ts'
import {
  explainKeyReuse,
  IdempotencyHeader,
  idempotencyOf,
} from '../../requests/idempotency-key.ts'
import { singleHeaders } from '../../requests/scrape-request.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

export const createCrawl = defineRoute({
  operationId: 'createCrawl',
  method: 'POST',
  path: '/v1/crawl',
  family: 'crawl',
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
    return new RouteResponse(
      {
        job_id: id,
        url: redactUrl(body.url),
        status: 'queued',
        status_url: location,
        estimated_pages: body.depth === 1 ? 1 : body.limit,
      },
      {
        status: 202,
        headers: {
          location,
          'x-job-id': id,
          ...(isReplay && { 'idempotency-replayed': 'true' }),
        },
      },
    )
  },
})
