import { z } from 'zod'
import { webhookExamples } from '../../../wire/webhooks/examples.ts'
import { NewWebhook } from '../../../wire/webhooks/requests.ts'
import { WebhookObject } from '../../../wire/webhooks/responses.ts'
import { toWebhookObject } from '../../../wire/webhooks/to-responses.ts'
import { defineRoute } from '../../route.ts'

export const createWebhook = defineRoute({
  operationId: 'createWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  family: 'webhooks',
  summary: 'Create a webhook',
  body: NewWebhook,
  response: {
    status: 201,
    description: 'The webhook and its secret, which is shown here and on rotation only.',
    body: WebhookObject.extend({
      secret: z.string().describe('`whsec_…`; signs every delivery.'),
    }).meta({ id: 'CreatedWebhook' }),
  },
  failures: ['URL_NOT_ALLOWED', 'CONFLICT'],
  examples: webhookExamples.create,

  async handle({ account, body }, { webhooks }) {
    const { webhook, secret } = await webhooks.create(account.id, {
      url: body.url,
      eventType: body.event_type,
      description: body.description ?? '',
      isActive: true,
    })
    return { ...toWebhookObject(webhook), secret }
  },
})
