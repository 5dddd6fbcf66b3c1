import { z } from 'zod'
import { Failure } from '../../domain/failure.ts'
import {
  checksOf,
  failedReadinessChecks,
  type HealthFacts,
  healthStatusOf,
} from '../../domain/service/health.ts'
import { version } from '../../runtime/version.ts'
import { BrowserCapability, browserCapability } from '../../wire/service/responses.ts'
import { ErrorObject, toProblem } from '../errors/problem.ts'
import { defineRoute, type Route, RouteResponse } from '../route.ts'

const getLivez = defineRoute('service', {
  operationId: 'getLivez',
  request: 'GET /livez',
  isProbe: true,
  summary: 'Is the process alive?',
  description: 'Touches nothing but the event loop; a process that fails it should be restarted.',
  response: {
    description: 'It is.',
    body: z.object({ status: z.literal('alive') }),
  },
  examples: { alive: { summary: 'It is alive', response: { status: 'alive' } } },
  handle: () => ({ status: 'alive' as const }),
})

const Check = z.object({ ok: z.boolean(), detail: z.string() })

const CheckReport = z
  .object({
    store: Check,
    disk: Check,
    accepting: Check,
    browser: Check.extend(BrowserCapability.shape),
  })
  .describe('Each check by name; only with `?verbose`. A missing browser never fails readiness.')
  .meta({ id: 'ReadinessChecks' })

const getReadyz = defineRoute('service', {
  operationId: 'getReadyz',
  request: 'GET /readyz',
  isProbe: true,
  summary: 'Should this process get traffic?',
  query: z.object({
    verbose: z
      .string()
      .optional()
      .describe('Present, with any value: name every check, and have the browser open a page.'),
  }),
  response: {
    description: 'It should.',
    body: z.object({ status: z.literal('ready'), checks: CheckReport.optional() }),
  },
  otherResponses: [
    {
      status: 503,
      description: 'It should not, now.',
      headers: ['Retry-After'],
      body: ErrorObject.extend({
        status: z.literal('not_ready'),
        checks: CheckReport.optional(),
      }),
    },
  ],
  examples: {
    ready: { summary: 'It is ready', response: { status: 'ready' } },
    verbose: { summary: 'With every check', query: { verbose: '1' } },
  },

  async handle({ query, correlationId }, { healthFacts }) {
    const isVerbose = query.verbose !== undefined
    const facts = await healthFacts({ isBrowserTried: isVerbose })
    const checks = checksOf(facts)
    const failed = failedReadinessChecks(checks)
    const details = isVerbose ? { checks: report(facts) } : {}
    if (failed.length === 0) return { status: 'ready' as const, ...details }
    const problem = toProblem(
      new Failure(
        facts.isDraining && !facts.storeRefusal ? 'SHUTTING_DOWN' : 'STORE_UNAVAILABLE',
        `Not ready: ${failed.map((name) => checks[name].detail).join(' ')}`,
      ),
      correlationId,
    )
    return new RouteResponse({ ...problem.body, status: 'not_ready', ...details }, problem)
  },
})

function report(facts: HealthFacts): z.input<typeof CheckReport> {
  const { store, disk, accepting, browser } = checksOf(facts)
  const toCheck = ({ isOk, detail }: typeof store) => ({ ok: isOk, detail })
  return {
    store: toCheck(store),
    disk: toCheck(disk),
    accepting: toCheck(accepting),
    browser: { ...toCheck(browser), ...browserCapability(facts.browser) },
  }
}

const Health = z
  .object({
    status: z
      .enum(['ok', 'degraded', 'unavailable'])
      .describe('`degraded`: it works, but not all of it; `/readyz?verbose` says what is missing.'),
    service: z.literal('trawl'),
    version: z.string(),
    timestamp: z.string().describe('ISO 8601, UTC.'),
  })
  .meta({ id: 'Health' })

const getHealth = defineRoute('service', {
  operationId: 'getHealth',
  request: 'GET /health',
  isProbe: true,
  summary: 'How is the service?',
  response: { description: 'It works, wholly or in part.', body: Health },
  otherResponses: [
    {
      status: 503,
      description: 'The store does not respond.',
      body: Health,
      headers: ['Retry-After'],
    },
  ],
  examples: {
    ok: {
      summary: 'All of it works',
      response: {
        status: 'ok',
        service: 'trawl',
        version: '0.1.0',
        timestamp: '2026-03-02T09:30:00.000Z',
      },
    },
  },

  async handle(_request, { healthFacts }) {
    const status = healthStatusOf(checksOf(await healthFacts({ isBrowserTried: false })))
    const body = { status, service: 'trawl', version, timestamp: new Date().toISOString() } as const
    if (status !== 'unavailable') return body
    return new RouteResponse(body, { status: 503, headers: { 'retry-after': '5' } })
  },
})

const getMetrics = defineRoute('service', {
  operationId: 'getMetrics',
  request: 'GET /metrics',
  isProbe: true,
  summary: 'Metrics for Prometheus',
  response: {
    description: 'The Prometheus text format.',
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    body: z.string(),
  },
  examples: { metrics: { summary: 'All metrics' } },
  handle: (_request, { metricsText }) => metricsText(),
})

export const healthRoutes: readonly Route[] = [getLivez, getReadyz, getHealth, getMetrics]
