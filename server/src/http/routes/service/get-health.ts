import { z } from 'zod'
import { checksOf, healthStatusOf } from '../../../domain/service/health.ts'
import { version } from '../../../runtime/version.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

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

export const getHealth = defineRoute({
  operationId: 'getHealth',
  method: 'GET',
  path: '/health',
  family: 'service',
  isProbe: true,
  summary: 'How is the service?',
  response: { status: 200, description: 'It works, wholly or in part.', body: Health },
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
      status: 200,
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
