import { z } from 'zod'
import { JobConfig } from '../../domain/job/job-config.ts'
import { JobResult, jobId, statusUrl, TokenSummary, time } from '../jobs/responses.ts'
import { TaskStatus } from '../named-enums.ts'
import { pageFields } from '../pagination.ts'
import { TaskDelivery } from '../scrape/responses.ts'

export const AcceptedCrawl = z
  .object({
    job_id: jobId,
    url: z.string(),
    status: z.literal('queued'),
    status_url: statusUrl,
    estimated_pages: z
      .int()
      .describe('The limit, as nobody knows how many there are; 1 where `depth` is 1.'),
  })
  .meta({ id: 'AcceptedCrawl' })

const CrawlConfig = JobConfig.extend({
  same_domain_only: z.boolean(),
  include_subdomains: z.boolean(),
}).meta({ id: 'CrawlConfig' })

const CrawlResult = JobResult.extend({
  parent_url: z.string().nullable().describe('The first page that links to it; null for the seed.'),
  depth: z.int().describe('1 for the seed page.'),
  links: z.array(z.string()).describe('Every link of the page, followed or not.'),
}).meta({ id: 'CrawlResult' })

const crawlCounts = {
  total_pages: z.int().describe('The pages chosen so far; the four counts add up to it.'),
  completed_pages: z.int(),
  failed_pages: z.int(),
  cancelled_pages: z.int(),
  pending_pages: z.int(),
}

export const CrawlJob = z
  .object({
    job_id: jobId,
    url: z.string(),
    status: TaskStatus,
    crawl_config: CrawlConfig,
    token_summary: TokenSummary,
    ...crawlCounts,
    frontier_pages: z
      .int()
      .describe('Found and not chosen yet, so not among the counts; 0 once the crawl has ended.'),
    created_at: time,
    completed_at: time.nullable(),
    delivery: TaskDelivery.nullable().describe('How the callback stands; null without one.'),
    results: z.array(CrawlResult).describe('Breadth first, in the order of the links.'),
  })
  .meta({ id: 'CrawlJob' })

export const CancelledCrawl = z
  .object({
    job_id: jobId,
    status: z.literal('cancelled'),
    status_url: statusUrl,
    in_flight_pages: z.int().describe('Those that were running; they end.'),
  })
  .meta({ id: 'CancelledCrawl' })

const CrawlJobItem = z
  .object({
    job_id: jobId,
    url: z.string(),
    status: TaskStatus,
    total_pages: z.int(),
    completed_pages: z.int(),
    failed_pages: z.int(),
    config: CrawlConfig,
    created_at: time,
    completed_at: time.nullable(),
  })
  .meta({ id: 'CrawlJobItem' })

export const CrawlJobList = z
  .object({ jobs: z.array(CrawlJobItem), ...pageFields })
  .meta({ id: 'CrawlJobList' })
