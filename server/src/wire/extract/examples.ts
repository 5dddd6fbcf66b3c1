import {
  exampleMarkdown,
  exampleResult,
  extractedTask,
  exampleId as id,
  parsed,
  exampleUrl as url,
} from '../example-task.ts'
import type { RouteExample } from '../route-example.ts'
import { awaitedExtractionJson, extractionJson, toExtractItem } from './to-responses.ts'

const answer = (format: 'html' | 'text' | 'markdown', ...of: Parameters<typeof exampleResult>) =>
  parsed(awaitedExtractionJson(extractedTask([format]), exampleResult(...of)))

/** Requests to copy; tests run each of them against a site of their own. */
export const extractExamples: Record<string, RouteExample> = {
  markdown: {
    summary: 'An article as Markdown',
    body: { url, formats: ['markdown'], only_main_content: true },
    response: answer('markdown', exampleMarkdown),
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
    response: answer('html', {
      html: '<main><h1>Cod</h1><p>A <a href="/fish">fish</a>.</p></main>',
      markdown: null,
      extracted: { title: 'Cod', links: ['https://example.com/fish'] },
    }),
  },
  pdf: {
    summary: 'The text of a PDF',
    body: { url: 'https://example.com/paper.pdf', formats: ['text'] },
    response: answer(
      'text',
      {
        html: null,
        markdown: null,
        text: 'A paper\n',
        pdf: { page_count: 1, is_truncated: false },
      },
      { url: 'https://example.com/paper.pdf', headers: { 'content-type': 'application/pdf' } },
    ),
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
    response: parsed(
      extractionJson(extractedTask(['markdown'], 'async'), exampleResult(exampleMarkdown)),
    ),
  },
}

export const jobListExamples: Record<string, RouteExample> = {
  newest: {
    summary: 'The ten newest',
    query: { page_size: '10' },
    response: {
      jobs: [toExtractItem(extractedTask(['markdown']))],
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
