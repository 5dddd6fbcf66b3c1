import { webhookExamples } from '../../../wire/webhooks/examples.ts'
import { DeliveryPath } from '../../../wire/webhooks/requests.ts'
import { WebhookDeliveryDetails } from '../../../wire/webhooks/responses.ts'
import { toDeliveryDetails } from '../../../wire/webhooks/to-responses.ts'
import { defineRoute } from '../../route.ts'

export const getWebhookDelivery = defineRoute({
  operationId: 'getWebhookDelivery',
  method: 'GET',
  path: '/v1/webhooks/:webhook_id/deliveries/:delivery_id',
  family: 'webhooks',
  summary: 'Get a delivery with its attempts and its body',
  params: DeliveryPath,
  response: {
    status: 200,
    description: 'The delivery, whatever became of it.',
    body: WebhookDeliveryDetails,
  },
  failures: ['NOT_FOUND', 'RATE_LIMITED'],
  examples: webhookExamples.delivery,
  handle: async ({ account, params, disconnected }, { webhooks }) =>
    toDeliveryDetails(
      await webhooks.getDelivery({
        accountId: account.id,
        id: params.webhook_id,
        deliveryId: params.delivery_id,
        disconnected,
      }),
    ),
})
