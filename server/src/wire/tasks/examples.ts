import type { RouteExample } from '../route-example.ts'

const id = '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917'

const summary = {
  id,
  kind: 'extract',
  status: 'completed',
  url: 'https://example.com/article',
  host: 'example.com',
  job_id: null,
  retry_of: null,
  created_at: '2026-03-02T09:30:00.000Z',
  started_at: '2026-03-02T09:30:00.004Z',
  completed_at: '2026-03-02T09:30:00.132Z',
  duration_ms: 128,
  attempts: 1,
  engine: 'http',
  http_status: 200,
  error: null,
  bytes: 18_204,
}

/** Requests to copy; tests run each of them against a site of their own. */
export const searchExamples: Record<string, RouteExample> = {
  newest: {
    summary: 'The ten newest',
    query: { page_size: '10' },
    response: { tasks: [summary], page: 1, page_size: 10, page_count: 1, is_capped: false },
  },
  failed: {
    summary: 'Tasks of a host that failed because it did not answer in time',
    query: { host: 'example.com', code: 'TARGET_TIMEOUT' },
  },
}

export const detailsExamples: Record<string, RouteExample> = {
  task: {
    summary: 'A completed task',
    response: {
      ...summary,
      callback_url: null,
      metadata: null,
      options: {
        method: 'GET',
        timeout_ms: 60_000,
        render_js: false,
        formats: ['markdown'],
        proxy: null,
        headers: null,
        wait_config: null,
        session: null,
      },
      request: {
        path: '/v1/extract',
        body: { url: 'https://example.com/article', formats: ['markdown'] },
        left_out: [],
      },
      attempt_log: [
        {
          engine: 'http',
          proxy: null,
          outcome: 'page',
          http_status: 200,
          started_at: '2026-03-02T09:30:00.004Z',
          duration_ms: 121,
          queue_ms: 4,
          timings: { connect: 12.1, first_byte: 80.4, download: 9.7 },
        },
      ],
      deliveries: [],
    },
  },
}

export const responseExamples: Record<string, RouteExample> = {
  page: {
    summary: 'Of a page without a browser',
    response: {
      url: 'https://example.com/article',
      http_status: 200,
      engine: 'http',
      headers: { 'content-type': 'text/html; charset=utf-8' },
      cookies: [],
      bandwidth: { received: 18_204, sent: 312, requests: 1 },
      screenshot: null,
      requests: [
        {
          url: 'https://example.com/article',
          type: 'document',
          http_status: 200,
          bytes: 18_204,
          started_ms: 0,
          duration_ms: 102.2,
          is_blocked: false,
        },
      ],
      console: null,
      wait_ended_at_deadline: false,
    },
  },
}

export const cancelExamples: Record<string, RouteExample> = {
  open: {
    summary: 'Cancel a task that has not ended',
    response: {
      ...(detailsExamples['task']?.response as object),
      status: 'cancelled',
      http_status: null,
      engine: null,
      bytes: null,
      error: { code: 'CANCELLED', message: 'The task was cancelled.', retryable: false },
    },
  },
}

export const retryExamples: Record<string, RouteExample> = {
  retry: {
    summary: 'The same request again, with its callback',
    response: {
      id,
      status: 'queued',
      retry_of: '01a1e5ee-02d1-7c33-8a40-9be1d07f5c21',
      status_url: `/v1/tasks/${id}`,
      created_at: '2026-03-02T09:30:00.000Z',
    },
  },
  replay: {
    summary: 'The same request again, without its callback',
    body: { callback: false },
  },
}
