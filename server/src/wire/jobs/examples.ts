import type { RouteExample } from '../route-example.ts'

/** Responses about batches, crawls and maps, as the examples of several routes and events show them. */

const id = '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917'
const pageId = '01a1e5f0-7c2d-7e10-8b57-52c9a4d1e6f3'
const created_at = '2026-03-02T09:30:00.000Z'
const completed_at = '2026-03-02T09:30:01.204Z'
const site = 'https://example.com/'

const config = {
  render_js: false,
  formats: ['markdown'],
  all_formats: ['markdown'],
  proxy: { country: null, type: 'residential' },
  headers: null,
  wait_config: null,
}

const pageNumbers = { page: 1, page_size: 10, page_count: 1 }

const pageResult = {
  url: site,
  status: 'completed',
  error_code: null,
  error_message: null,
  error_reason: null,
  task_id: pageId,
}

const content = {
  data: { html: null, markdown: '# Cod\n\nA fish.\n' },
  metadata: {
    http_status: 200,
    duration_ms: 132,
    retry_count: 0,
    tokens_charged: 1,
    render_js: false,
    engine: 'http',
    engine_reason: 'requested',
  },
}

const batch = {
  job_id: id,
  status: 'completed',
  batch_config: config,
  token_summary: { tokens_charged_total: 1, tokens_reserved: 0 },
  total_urls: 1,
  completed_urls: 1,
  failed_urls: 0,
  cancelled_urls: 0,
  pending_urls: 0,
  invalid_urls: [],
  created_at,
  completed_at,
}

/** A batch as its event shows it: without contents. */
export const batchInEvent = {
  ...batch,
  results: [{ input_index: 0, ...pageResult, data: null, metadata: null }],
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
        ...batch,
        delivery: null,
        results: [{ input_index: 0, ...pageResult, ...content }],
      },
    },
  },
  list: {
    newest: {
      summary: 'The ten newest',
      query: { page_size: '10' },
      response: {
        jobs: [
          {
            job_id: id,
            status: 'completed',
            accepted_urls: 1,
            completed_urls: 1,
            failed_urls: 0,
            config,
            created_at,
            completed_at,
          },
        ],
        ...pageNumbers,
      },
    },
  },
  cancel: {
    running: {
      summary: 'Cancel a running batch',
      response: {
        job_id: id,
        status: 'cancelled',
        status_url: `/v1/batch/${id}`,
        in_flight_urls: 1,
      },
    },
  },
  retryFailed: {
    failed: {
      summary: 'Try the failed pages again',
      response: { ...batchAccepted, status: 'processing', estimated_tokens: 1 },
    },
  },
} satisfies Record<string, Record<string, RouteExample>>

const crawlConfig = { ...config, same_domain_only: true, include_subdomains: false }

const crawl = {
  job_id: id,
  url: site,
  status: 'completed',
  crawl_config: crawlConfig,
  token_summary: { tokens_charged_total: 1, tokens_reserved: 0 },
  total_pages: 1,
  completed_pages: 1,
  failed_pages: 0,
  cancelled_pages: 0,
  pending_pages: 0,
  created_at,
  completed_at,
}

const crawledPage = {
  ...pageResult,
  parent_url: null,
  depth: 1,
  links: ['https://example.com/fish'],
}

/** A crawl as its event shows it: without contents. */
export const crawlInEvent = {
  ...crawl,
  results: [{ ...crawledPage, data: null, metadata: null }],
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
        ...crawl,
        frontier_pages: 0,
        delivery: null,
        results: [{ ...crawledPage, ...content }],
      },
    },
  },
  list: {
    newest: {
      summary: 'The ten newest',
      query: { page_size: '10' },
      response: {
        jobs: [
          {
            job_id: id,
            url: site,
            status: 'completed',
            total_pages: 1,
            completed_pages: 1,
            failed_pages: 0,
            config: crawlConfig,
            created_at,
            completed_at,
          },
        ],
        ...pageNumbers,
      },
    },
  },
  cancel: {
    running: {
      summary: 'Cancel a running crawl',
      response: {
        job_id: id,
        status: 'cancelled',
        status_url: `/v1/crawl/${id}`,
        in_flight_pages: 1,
      },
    },
  },
} satisfies Record<string, Record<string, RouteExample>>

const map = {
  job_id: id,
  url: site,
  search: null,
  status: 'completed',
  include_subdomains: false,
  ignore_query_parameters: true,
  links_count: 2,
  error_code: null,
  error_message: null,
  duration_ms: 240,
  created_at,
  completed_at,
  tokens_charged: 1,
}

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
        metadata: { url: site, links_count: 2, duration_ms: 240 },
        warning: null,
      },
    },
  },
  get: { job: { summary: 'A map by its id', response: { ...map, links } } },
  list: {
    newest: {
      summary: 'The ten newest',
      query: { page_size: '10' },
      response: { jobs: [map], ...pageNumbers },
    },
  },
} satisfies Record<string, Record<string, RouteExample>>

const job = {
  job_id: id,
  kind: 'crawl',
  status: 'processing',
  url: site,
  counts: { total: 9, completed: 6, failed: 1, cancelled: 0, pending: 2 },
  links_count: null,
  created_at,
  completed_at: null,
  status_url: `/v1/crawl/${id}`,
  tasks_url: `/v1/tasks?job=${id}`,
}

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
