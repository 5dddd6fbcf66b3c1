import type { Job, ListedJob } from '../../domain/job/job.ts'
import { configOfMap } from '../../domain/job/job-config.ts'
import { plainOrder, type TaskPurpose } from '../../domain/scrape/scrape-request.ts'
import { batchHead, batchItem } from '../batch/to-responses.ts'
import { crawlHead, crawlItem } from '../crawl/to-responses.ts'
import {
  createdAtMs,
  exampleMarkdown,
  exampleResult,
  extractedTask,
  exampleId as id,
  parsed,
} from '../example-task.ts'
import { mapHead } from '../map/to-responses.ts'
import type { RouteExample } from '../route-example.ts'
import { pageOfJobJson, pageOfJobWithoutContents } from './page-of-job.ts'
import { toJobObject } from './to-responses.ts'

/** Responses about batches, crawls and maps, as the examples of several routes and events show them. */

const site = 'https://example.com/'

const batch: ListedJob & Pick<Job, 'invalidUrls'> = {
  id,
  kind: 'batch',
  request: { config: { ...configOfMap, formats: ['markdown'], all_formats: ['markdown'] } },
  invalidUrls: [],
  createdAtMs,
  state: 'completed',
  counts: { total: 1, open: 0, completed: 1, failed: 0, cancelled: 0 },
  tokens: 1,
  retries: 0,
  linksCount: 0,
  isStarted: true,
  completedAtMs: createdAtMs + 1_204,
}

const pageNumbers = { page: 1, page_size: 10, page_count: 1 }

const newest = (job: object) => ({
  newest: {
    summary: 'The ten newest',
    query: { page_size: '10' },
    response: { jobs: [job], ...pageNumbers },
  },
})

const cancelRunning = (kind: 'batch' | 'crawl', inFlight: Record<string, number>) => ({
  running: {
    summary: `Cancel a running ${kind}`,
    response: { job_id: id, status: 'cancelled', status_url: `/v1/${kind}/${id}`, ...inFlight },
  },
})

const taskOf = (purpose: TaskPurpose) => {
  const task = extractedTask(['markdown'])
  return {
    ...task,
    id: '01a1e5f0-7c2d-7e10-8b57-52c9a4d1e6f3',
    job: { id, position: 0 },
    request: { ...task.request, url: site, purpose },
  }
}

const extract = { ...plainOrder, formats: ['markdown' as const] }
const pageOfBatch = taskOf({ kind: 'extract', extract })
const pageOfCrawl = taskOf({ kind: 'crawl', extract, crawl: { depth: 1, parentUrl: null } })

const result = exampleResult(exampleMarkdown)
const resultWithLinks = {
  ...result,
  content: { ...result.content, links: { links: ['https://example.com/fish'] } },
}

/** A batch as its event shows it: without contents. */
export const batchInEvent = {
  ...batchHead(batch),
  results: [pageOfJobWithoutContents(pageOfBatch)],
}

const batchAccepted = {
  job_id: id,
  status: 'queued',
  status_url: `/v1/batch/${id}`,
  accepted_urls: 2,
  invalid_urls: [],
  estimated_tokens: 2,
}

export const batchExamples = {
  create: {
    pages: {
      summary: 'Two pages as markdown',
      body: { urls: ['https://example.com/', 'https://example.com/about'] },
      response: batchAccepted,
    },
  },
  get: {
    job: {
      summary: 'A batch by its id',
      response: {
        ...batchHead(batch),
        delivery: null,
        results: [parsed(pageOfJobJson(pageOfBatch, result))],
      },
    },
  },
  list: newest(batchItem(batch)),
  cancel: cancelRunning('batch', { in_flight_urls: 1 }),
  retryFailed: {
    failed: {
      summary: 'Try the failed pages again',
      response: { ...batchAccepted, status: 'processing', estimated_tokens: 1 },
    },
  },
} satisfies Record<string, Record<string, RouteExample>>

const crawl: ListedJob = {
  ...batch,
  kind: 'crawl',
  request: {
    ...batch.request,
    crawl: { seed: { url: site }, sameDomainOnly: true, includeSubdomains: false },
  },
}

/** A crawl as its event shows it: without contents. */
export const crawlInEvent = {
  ...crawlHead(crawl),
  results: [pageOfJobWithoutContents(pageOfCrawl)],
}

export const crawlExamples = {
  create: {
    site: {
      summary: 'The first twenty pages of a site as markdown',
      body: { url: site, depth: 3, limit: 20 },
      response: {
        job_id: id,
        url: site,
        status: 'queued',
        status_url: `/v1/crawl/${id}`,
        estimated_pages: 20,
      },
    },
  },
  get: {
    job: {
      summary: 'A crawl by its id',
      response: {
        ...crawlHead(crawl),
        frontier_pages: 0,
        delivery: null,
        results: [parsed(pageOfJobJson(pageOfCrawl, resultWithLinks))],
      },
    },
  },
  list: newest(crawlItem(crawl)),
  cancel: cancelRunning('crawl', { in_flight_pages: 1 }),
} satisfies Record<string, Record<string, RouteExample>>

const order = { url: site, search: null, includesSubdomains: false, ignoresQueries: true }

const map = mapHead(
  { ...batch, kind: 'map', request: { config: configOfMap, map: order }, linksCount: 2 },
  taskOf({ kind: 'map', map: order }),
)

const links = [
  { url: 'https://example.com/', source: 'html' },
  { url: 'https://example.com/fish', source: 'sitemap' },
]

export const mapExamples = {
  create: {
    site: {
      summary: 'All URLs of a site',
      body: { url: site },
      response: {
        success: true,
        links,
        metadata: { url: site, links_count: 2, duration_ms: map.duration_ms },
        warning: null,
      },
    },
  },
  get: { job: { summary: 'A map by its id', response: { ...map, links } } },
  list: newest(map),
} satisfies Record<string, Record<string, RouteExample>>

const job = toJobObject({
  ...crawl,
  state: 'open',
  counts: { total: 9, open: 2, completed: 6, failed: 1, cancelled: 0 },
  completedAtMs: null,
})

export const allJobsExamples = {
  get: { job: { summary: 'A job by its id', response: job } },
  list: {
    newest: {
      summary: 'The ten newest crawls',
      query: { kind: 'crawl', page_size: '10' },
      response: { jobs: [job], ...pageNumbers, is_capped: false },
    },
  },
} satisfies Record<string, Record<string, RouteExample>>
