import { z } from 'zod'
import { webhookExamples } from '../../../wire/webhooks/examples.ts'
import { WebhookPath } from '../../../wire/webhooks/requests.ts'
import { defineRoute } from '../../route.ts'

export const rotateWebhookSecret = defineRoute({
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/webhooks/:webhook_id/rotate-secret',
  family: 'webhooks',
  summary: 'Give a webhook a new secret',
  description: 'The one before stays valid for 24 hours: deliveries are signed with both.',
  params: WebhookPath,
  response: {
    status: 200,
    description: 'The new secret, shown this once.',
    body: z.object({ secret: z.string() }),
  },
  failures: ['NOT_FOUND'],
  examples: webhookExamples.rotate,
  handle: async ({ account, params }, { webhooks }) => ({
    secret: await webhooks.rotateSecret(account.id, params.webhook_id),
  }),
})
