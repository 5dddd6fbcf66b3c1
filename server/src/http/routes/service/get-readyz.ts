import { z } from 'zod'
import { Failure } from '../../../domain/failure.ts'
import {
  checksOf,
  failedReadinessChecks,
  type HealthFacts,
} from '../../../domain/service/health.ts'
import { BrowserCapability, browserCapability } from '../../../wire/service/responses.ts'
import { ErrorObject, toProblem } from '../../errors/problem.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

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

export const getReadyz = defineRoute({
  operationId: 'getReadyz',
  method: 'GET',
  path: '/readyz',
  family: 'service',
  isProbe: true,
  summary: 'Should this process get traffic?',
  query: z.object({
    verbose: z
      .string()
      .optional()
      .describe('Present, with any value: name every check, and have the browser open a page.'),
  }),
  response: {
    status: 200,
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
    ready: { summary: 'It is ready', status: 200, response: { status: 'ready' } },
    verbose: { summary: 'With every check', query: { verbose: '1' }, status: 200 },
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
