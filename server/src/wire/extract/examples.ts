import type { RouteExample } from '../route-example.ts'

const url = 'https://example.com/article'

const id = '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917'

const metadata = {
  url: 'https://example.com/article',
  http_status: 200,
  duration_ms: 132,
  retry_count: 0,
  render_js: false,
  formats: ['markdown'],
  all_formats: ['markdown'],
  processing_mode: 'sync',
  proxy: null,
  headers: null,
  wait_config: null,
  engine: 'http',
  engine_reason: 'requested',
  content_type: 'text/html; charset=utf-8',
}

/** Requests to copy; tests run each of them against a site of their own. */
export const extractExamples: Record<string, RouteExample> = {
  markdown: {
    summary: 'An article as Markdown',
    body: { url, formats: ['markdown'], only_main_content: true },
    response: {
      data: { html: null, markdown: '# Cod\n\nA fish.\n' },
      metadata,
      tokens_charged: 1,
    },
  },
  everything: {
    summary: 'HTML, text, links and metadata of a page, with headers of your own',
    body: {
      url,
      formats: ['html', 'text', 'links', 'metadata'],
      headers: { 'Accept-Language': 'de' },
      timeout: 30_000,
    },
  },
  rules: {
    summary: 'Fields of a page by selectors',
    body: {
      url,
      extract_rules: { title: 'h1', links: { selector: '//a/@href', type: 'list' } },
    },
    response: {
      data: {
        html: '<main><h1>Cod</h1><p>A <a href="/fish">fish</a>.</p></main>',
        markdown: null,
        extracted: { title: 'Cod', links: ['https://example.com/fish'] },
      },
      metadata: { ...metadata, formats: ['html'], all_formats: ['html'] },
      tokens_charged: 1,
    },
  },
  pdf: {
    summary: 'The text of a PDF',
    body: { url: 'https://example.com/paper.pdf', formats: ['text'] },
    response: {
      data: {
        html: null,
        markdown: null,
        text: 'A paper\n',
        pdf: { page_count: 1, is_truncated: false },
      },
      metadata: {
        ...metadata,
        url: 'https://example.com/paper.pdf',
        formats: [],
        all_formats: ['text'],
        content_type: 'application/pdf',
      },
      tokens_charged: 1,
    },
  },
  cached: {
    summary: 'A result that may be an hour old',
    body: { url, formats: ['markdown'], only_main_content: true, max_age: 3_600_000 },
  },
  session: {
    summary: 'A page with the cookies and the proxy of earlier requests of a session',
    body: { url: 'https://example.com/article', session: 'customer-17' },
  },
  auto: {
    summary: 'A page that may need its scripts to be read',
    body: { url: 'https://example.com/article', render_js: 'auto', formats: ['markdown'] },
  },
  job: {
    summary: 'A job that is read later',
    body: { url, processing_mode: 'async' },
    status: 202,
    response: {
      job_id: id,
      status: 'queued',
      status_url: `/v1/extract/${id}`,
      estimated_tokens: 1,
    },
  },
  form: {
    summary: 'A page that answers to POST',
    body: { url: 'https://example.com/search', method: 'POST', body: { query: 'cod' } },
  },
}

export const jobExamples: Record<string, RouteExample> = {
  job: {
    summary: 'A completed job',
    response: {
      job_id: id,
      status: 'completed',
      created_at: '2026-03-02T09:30:00.000Z',
      completed_at: '2026-03-02T09:30:00.132Z',
      data: { html: null, markdown: '# Cod\n\nA fish.\n' },
      metadata: { ...metadata, processing_mode: 'async' },
      error: null,
      tokens_charged: 1,
    },
  },
}

export const jobListExamples: Record<string, RouteExample> = {
  newest: {
    summary: 'The ten newest',
    query: { page_size: '10' },
    response: {
      jobs: [
        {
          job_id: id,
          status: 'completed',
          url,
          created_at: '2026-03-02T09:30:00.000Z',
          execution_time: 132,
          output: ['markdown'],
          all_formats: ['markdown'],
        },
      ],
      page: 1,
      page_size: 10,
      page_count: 1,
      is_capped: false,
    },
  },
  search: {
    summary: 'Completed jobs of a site since a day',
    query: { url: 'example.com', status: 'completed', start_date: '2025-01-31' },
  },
}
