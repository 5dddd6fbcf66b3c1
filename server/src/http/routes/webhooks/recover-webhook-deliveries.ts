import { z } from 'zod'
import { webhookExamples } from '../../../wire/webhooks/examples.ts'
import { WebhookPath } from '../../../wire/webhooks/requests.ts'
import { defineRoute } from '../../route.ts'

export const recoverWebhookDeliveries = defineRoute({
  operationId: 'recoverWebhookDeliveries',
  method: 'POST',
  path: '/v1/webhooks/:webhook_id/recover',
  family: 'webhooks',
  summary: 'Redeliver what failed or was skipped since a time',
  params: WebhookPath,
  body: z
    .object({ since: z.iso.datetime({ offset: true }).describe('ISO 8601, with a zone.') })
    .meta({ id: 'Recover' }),
  response: {
    status: 202,
    description: 'They will be sent, once each.',
    body: z.object({ recovered: z.int().describe('How many.') }),
  },
  newWork: 'delivery',
  failures: ['NOT_FOUND'],
  examples: webhookExamples.recover,

  async handle({ account, params, body }, { webhooks }) {
    const sinceMs = Date.parse(body.since)
    return { recovered: await webhooks.recover(account.id, params.webhook_id, sinceMs) }
  },
})
