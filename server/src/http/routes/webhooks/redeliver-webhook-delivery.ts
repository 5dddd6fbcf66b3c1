import { z } from 'zod'
import { webhookExamples } from '../../../wire/webhooks/examples.ts'
import { DeliveryPath } from '../../../wire/webhooks/requests.ts'
import { defineRoute } from '../../route.ts'

export const redeliverWebhookDelivery = defineRoute({
  operationId: 'redeliverWebhookDelivery',
  method: 'POST',
  path: '/v1/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
  family: 'webhooks',
  summary: 'Send a delivery once more',
  description: 'Beside the schedule, with the same `webhook-id`; it counts as an attempt.',
  params: DeliveryPath,
  response: {
    status: 202,
    description: 'It will be sent.',
    body: z.object({ id: z.uuid().describe('The delivery.') }),
  },
  newWork: 'delivery',
  failures: ['NOT_FOUND', 'EXPIRED'],
  examples: webhookExamples.redeliver,

  async handle({ account, params }, { webhooks }) {
    await webhooks.redeliver(account.id, params.webhook_id, params.delivery_id)
    return { id: params.delivery_id }
  },
})
