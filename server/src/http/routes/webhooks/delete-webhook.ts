import { z } from 'zod'
import { webhookExamples } from '../../../wire/webhooks/examples.ts'
import { WebhookPath } from '../../../wire/webhooks/requests.ts'
import { defineRoute } from '../../route.ts'

export const deleteWebhook = defineRoute({
  operationId: 'deleteWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/:webhook_id',
  family: 'webhooks',
  summary: 'Delete a webhook',
  params: WebhookPath,
  response: { status: 204, description: 'It is gone.', body: z.undefined() },
  failures: ['NOT_FOUND'],
  examples: webhookExamples.delete,

  async handle({ account, params }, { webhooks }) {
    await webhooks.delete(account.id, params.webhook_id)
    return undefined
  },
})
