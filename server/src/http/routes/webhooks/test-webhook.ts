import { z } from 'zod'
import { webhookExamples } from '../../../wire/webhooks/examples.ts'
import { WebhookPath } from '../../../wire/webhooks/requests.ts'
import { defineRoute } from '../../route.ts'

export const testWebhook = defineRoute({
  operationId: 'testWebhook',
  method: 'POST',
  path: '/v1/webhooks/:webhook_id/test',
  family: 'webhooks',
  summary: 'Send a ping to a webhook now',
  description: 'Always 200, whatever the receiver did. The list of deliveries has no pings.',
  params: WebhookPath,
  response: {
    status: 200,
    description: 'The outcome of the ping.',
    body: z
      .object({
        delivered: z.boolean(),
        http_status: z.int().nullable(),
        duration_ms: z.int(),
        error: z.string().nullable(),
      })
      .meta({ id: 'PingOutcome' }),
  },
  failures: ['NOT_FOUND'],
  examples: webhookExamples.test,

  async handle({ account, params }, { webhooks }) {
    const { outcome, durationMs, error } = await webhooks.ping(account.id, params.webhook_id)
    return {
      delivered: error === null,
      http_status: outcome.kind === 'response' ? outcome.statusCode : null,
      duration_ms: durationMs,
      error,
    }
  },
})
