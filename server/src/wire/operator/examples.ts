import type { RouteExample } from '../route-example.ts'

const processId = '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917'
const idleLane = { waiting: 0, running: 0, oldest_age_seconds: 0 }

export const systemExamples: Record<string, RouteExample> = {
  system: {
    summary: 'One process on a laptop',
    response: {
      version: '0.1.0',
      started_at: '2026-03-02T09:30:00.000Z',
      uptime_seconds: 3_600,
      roles: ['api', 'worker', 'delivery'],
      store: { kind: 'sqlite', bytes: 18_874_368 },
      disk: { free_bytes: 161_061_273_600, total_bytes: 499_963_174_912 },
      browser: {
        state: 'ready',
        version: '152.0.7871.4',
        flavor: 'shell',
        sandbox: 'on',
        opens_pages: true,
      },
      processes: [
        {
          id: processId,
          is_this: true,
          started_at: '2026-03-02T09:30:00.000Z',
          last_seen_at: '2026-03-02T10:29:58.000Z',
          lanes: [
            { lane: 'browser', slots: 8 },
            { lane: 'delivery', slots: 64 },
            { lane: 'http', slots: 64 },
          ],
          listens_on: ['127.0.0.1:8080'],
        },
      ],
      queue: {
        http: { waiting: 2, running: 64, oldest_age_seconds: 0.4 },
        browser: idleLane,
        delivery: idleLane,
      },
      settings: [
        { name: 'TRAWL_PORT', value: '8080', origin: 'default' },
        { name: 'TRAWL_PASSWORD', value: '********', origin: 'environment TRAWL_PASSWORD' },
      ],
      checks: [
        { name: 'node', status: 'ok', detail: 'v24.21.0', fix: null },
        {
          name: 'sandbox',
          status: 'warning',
          detail: 'off',
          fix: 'Run as an ordinary user, or allow user namespaces.',
        },
      ],
    },
  },
}

export const proxiesExamples: Record<string, RouteExample> = {
  all: {
    summary: 'All of them',
    response: {
      items: [
        {
          label: 'berlin-1',
          type: 'datacenter',
          country: 'DE',
          any_country: false,
          state: 'cooling_down',
          cooldown_seconds: 42,
          score: 0.31,
          latency_ms: 182,
          active_uses: 0,
        },
      ],
      page: 1,
      page_size: 100,
      page_count: 1,
    },
  },
}
