import type { RouteExample } from '../route-example.ts'

/** Responses about scrape tasks, as the examples of their routes and the callback show them. */

const id = '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917'
const url = 'https://example.com/article'
const createdAt = '2026-03-02T09:30:00.000Z'
const completedAt = '2026-03-02T09:30:00.412Z'

const task = {
  requestId: id,
  url,
  callbackUrl: 'https://example.com/callback',
  status: 'completed',
  attempts: 1,
  createdAt,
  startedAt: '2026-03-02T09:30:00.120Z',
  completedAt,
  metadata: { order: 17 },
  error: null,
  delivery: {
    status: 'delivered',
    attempts: 1,
    nextAttemptAt: null,
    lastStatusCode: 200,
    lastError: null,
    deliveredAt: '2026-03-02T09:30:00.530Z',
  },
}

const cancelled = {
  ...task,
  status: 'cancelled',
  attempts: 0,
  startedAt: null,
  error: {
    code: 'CANCELLED',
    message: 'The task was cancelled.',
    retryable: false,
  },
  delivery: {
    ...task.delivery,
    status: 'skipped',
    attempts: 0,
    lastStatusCode: null,
    deliveredAt: null,
  },
}

const html = '<!doctype html><title>Cod</title><h1>Cod</h1><p>A fish.</p>'

const result = {
  statusCode: 200,
  url,
  html,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  cookies: [],
  bandwidth: { received: 512, sent: 318, requests: 1 },
  engine: 'http',
  attempts: 1,
}

/** What `callbackUrl` gets. */
export const callbackExample = {
  requestId: id,
  status: 'completed',
  url,
  createdAt,
  completedAt,
  attempts: 1,
  metadata: { order: 17 },
  result: { statusCode: 200, url, html },
  error: null,
}

export const scrapeExamples = {
  realtime: {
    result: {
      summary: 'A page with its status, headers and cookies',
      body: { url, configurations: { response_format: 'json', device_type: 'mobile' } },
      response: result,
    },
  },
  list: {
    completed: {
      summary: 'The ten newest that completed',
      query: { status: 'completed', page_size: '10' },
      response: { items: [task], page: 1, page_size: 10, page_count: 1 },
    },
  },
  get: { task: { summary: 'A task by its id', response: task } },
  result: { page: { summary: 'The page of a completed task' } },
  screenshot: { image: { summary: 'The image of a completed task' } },
  redeliver: { callback: { summary: 'Send the callback again', response: task } },
  cancel: { queued: { summary: 'Cancel a task', response: cancelled } },
} satisfies Record<string, Record<string, RouteExample>>
