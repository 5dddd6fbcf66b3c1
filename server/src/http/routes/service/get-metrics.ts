import { z } from 'zod'
import { defineRoute } from '../../route.ts'

export const getMetrics = defineRoute({
  operationId: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  family: 'service',
  isProbe: true,
  summary: 'Metrics for Prometheus',
  response: {
    status: 200,
    description: 'The Prometheus text format.',
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    body: z.string(),
  },
  examples: { metrics: { summary: 'All metrics', status: 200 } },
  handle: (_request, { metricsText }) => metricsText(),
})
