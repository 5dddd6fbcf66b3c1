import { z } from 'zod'
import { Failure } from '../../../domain/failure.ts'
import { type Checks, checksOf, failedReadinessChecks } from '../../../domain/health.ts'
import { ErrorObject, toProblem } from '../../problem.ts'
import { Answer, defineRoute } from '../../route.ts'

const CheckReport = z
  .record(z.string(), z.object({ ok: z.boolean(), detail: z.string() }))
  .describe('Each check by name; only with `?verbose`. A missing browser never fails readiness.')

export const getReadyz = defineRoute({
  operationId: 'getReadyz',
  method: 'GET',
  path: '/readyz',
  family: 'service',
  summary: 'Should this process get traffic?',
  query: z.object({
    verbose: z.string().optional().describe('Present, with any value: name every check.'),
  }),
  answer: {
    status: 200,
    description: 'It should.',
    body: z.object({ status: z.literal('ready'), checks: CheckReport.optional() }),
  },
  otherAnswers: [
    {
      status: 503,
      description: 'It should not, now.',
      body: ErrorObject.extend({
        status: z.literal('not_ready'),
        checks: CheckReport.optional(),
      }),
    },
  ],

  async handle({ query, correlationId }, { healthFacts }) {
    const facts = await healthFacts()
    const checks = checksOf(facts)
    const failed = failedReadinessChecks(checks)
    const told = query.verbose === undefined ? {} : { checks: report(checks) }
    if (failed.length === 0) return { status: 'ready' as const, ...told }
    const problem = toProblem(
      new Failure(
        facts.isDraining ? 'SHUTTING_DOWN' : 'STORE_UNAVAILABLE',
        `Not ready: ${failed.map((name) => checks[name].detail).join(' ')}`,
      ),
      correlationId,
    )
    return new Answer({ ...problem.body, status: 'not_ready', ...told }, problem)
  },
})

const report = (checks: Checks) =>
  Object.fromEntries(
    Object.entries(checks).map(([name, { isOk, detail }]) => [name, { ok: isOk, detail }]),
  )
