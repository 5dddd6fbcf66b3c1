import { webhookExamples } from '../../../wire/webhooks/examples.ts'
import { WebhookPath } from '../../../wire/webhooks/requests.ts'
import { WebhookObject } from '../../../wire/webhooks/responses.ts'
import { toWebhookObject } from '../../../wire/webhooks/to-responses.ts'
import { defineRoute } from '../../route.ts'

export const getWebhook = defineRoute({
  operationId: 'getWebhook',
  method: 'GET',
  path: '/v1/webhooks/:webhook_id',
  family: 'webhooks',
  summary: 'Get one webhook',
  params: WebhookPath,
  response: { status: 200, description: 'The webhook.', body: WebhookObject },
  failures: ['NOT_FOUND'],
  examples: webhookExamples.get,
  handle: async ({ account, params }, { webhooks }) =>
    toWebhookObject(await webhooks.get(account.id, params.webhook_id)),
})
