import { webhookExamples } from '../../../wire/webhooks/examples.ts'
import { WebhookChange, WebhookPath } from '../../../wire/webhooks/requests.ts'
import { WebhookObject } from '../../../wire/webhooks/responses.ts'
import { toWebhookObject } from '../../../wire/webhooks/to-responses.ts'
import { defineRoute } from '../../route.ts'

export const updateWebhook = defineRoute({
  operationId: 'updateWebhook',
  method: 'PATCH',
  path: '/v1/webhooks/:webhook_id',
  family: 'webhooks',
  summary: 'Change a webhook',
  description: 'What is left out stays as it is.',
  params: WebhookPath,
  body: WebhookChange,
  response: { status: 200, description: 'The webhook after the change.', body: WebhookObject },
  failures: ['NOT_FOUND', 'URL_NOT_ALLOWED'],
  examples: webhookExamples.update,

  async handle({ account, params, body }, { webhooks }) {
    const { url, description, event_type: eventType, is_active: isActive } = body
    const change = { url, description, eventType, isActive }
    return toWebhookObject(await webhooks.update(account.id, params.webhook_id, change))
  },
})
