import type { RouteExample } from '../route-example.ts'

/** Responses about webhooks and whitelisted addresses, as the examples of their routes show them. */

const id = '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917'
const deliveryId = '01a1e5f0-7d44-7f06-a3c8-94b1d2e07f5a'
const created_at = '2026-03-02T09:30:00.000Z'
const url = 'https://example.com/events'

const webhook = {
  id,
  url,
  description: '',
  is_active: true,
  event_type: 'extract_completed',
  created_at,
  updated_at: created_at,
}

const secret = 'whsec_c2FtcGxlLXNlY3JldC1mb3ItdGhlLXJlZmVyZW5jZQ=='

const page = { page: 1, page_size: 100, page_count: 1 }

const failedDelivery = {
  id: deliveryId,
  event_type: 'extract_completed',
  job_id: id,
  attempt_number: 12,
  status: 'failed',
  http_status: 500,
  delivered_at: null,
  created_at,
}

export const webhookExamples = {
  create: {
    extractions: {
      summary: 'An event for every extraction',
      body: { url, event_type: 'extract_completed' },
      response: { ...webhook, secret },
    },
  },
  list: {
    all: { summary: 'All of them', response: { items: [webhook], ...page } },
  },
  get: { webhook: { summary: 'A webhook by its id', response: webhook } },
  update: {
    pause: {
      summary: 'Pause it',
      body: { is_active: false },
      response: { ...webhook, is_active: false, updated_at: '2026-03-02T10:00:00.000Z' },
    },
  },
  delete: { webhook: { summary: 'Delete a webhook' } },
  rotate: { secret: { summary: 'A new secret', response: { secret } } },
  test: {
    ping: {
      summary: 'A ping that arrived',
      response: { delivered: true, http_status: 200, duration_ms: 18, error: null },
    },
  },
  deliveries: {
    failed: {
      summary: 'Those that were given up',
      query: { status: 'failed' },
      response: { items: [failedDelivery], ...page },
    },
  },
  delivery: {
    retried: {
      summary: 'A delivery that is tried again',
      response: {
        ...failedDelivery,
        attempt_number: 1,
        status: 'pending',
        next_attempt_at: '2026-03-02T09:30:05.000Z',
        attempts: [
          {
            number: 1,
            started_at: created_at,
            duration_ms: 18,
            http_status: 500,
            error: 'The receiver answered 500.',
            response_excerpt: 'Internal Server Error',
          },
        ],
        body: JSON.stringify({
          event: 'extract_completed',
          webhook_id: id,
          delivery_id: deliveryId,
          timestamp: created_at,
          data: { job_id: id, status: 'completed' },
        }),
      },
    },
  },
  redeliver: {
    again: { summary: 'Send it again', response: { id: deliveryId } },
  },
  recover: {
    since: {
      summary: 'Since a day',
      body: { since: '2026-03-02T00:00:00Z' },
      response: { recovered: 3 },
    },
  },
} satisfies Record<string, Record<string, RouteExample>>

const entry = { ip: '203.0.113.7', description: 'Office', _id: '65e2f0d81a2b3c4d5e6f7081' }

const changed = (data: object[], body: string) => ({
  data,
  message: { title: 'Updated', body, variant: 'success' },
})

export const whitelistedIpExamples = {
  list: { all: { summary: 'The whole list', response: { data: [entry] } } },
  add: {
    office: {
      summary: 'One address',
      body: { ips: [{ ip: entry.ip, description: 'Office' }] },
      response: changed([entry], 'Whitelisted IPs saved.'),
    },
  },
  update: {
    office: {
      summary: 'One address',
      body: { ip: entry.ip, description: 'Old office' },
      response: changed([{ ...entry, description: 'Old office' }], 'Whitelisted IPs updated.'),
    },
  },
  remove: {
    office: {
      summary: 'One address',
      body: { ips: [{ ip: entry.ip }] },
      response: changed([], 'Whitelisted IPs removed.'),
    },
  },
} satisfies Record<string, Record<string, RouteExample>>
