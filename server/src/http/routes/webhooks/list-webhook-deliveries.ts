import { DeliveryStatus } from '../../../wire/named-enums.ts'
import { PageQuery, pageEnvelope, toEnvelope } from '../../../wire/pagination.ts'
import { webhookExamples } from '../../../wire/webhooks/examples.ts'
import { WebhookPath } from '../../../wire/webhooks/requests.ts'
import { WebhookDelivery } from '../../../wire/webhooks/responses.ts'
import { toDeliveryObject } from '../../../wire/webhooks/to-responses.ts'
import { defineRoute } from '../../route.ts'

export const listWebhookDeliveries = defineRoute({
  operationId: 'listWebhookDeliveries',
  method: 'GET',
  path: '/v1/webhooks/:webhook_id/deliveries',
  family: 'webhooks',
  takesTurns: true,
  summary: 'List the deliveries of a webhook, newest first',
  params: WebhookPath,
  query: PageQuery.extend({
    status: DeliveryStatus.optional().describe('Only deliveries in this state.'),
  }),
  response: {
    status: 200,
    description: 'A page of them.',
    body: pageEnvelope(WebhookDelivery).meta({ id: 'WebhookDeliveryList' }),
  },
  failures: ['NOT_FOUND'],
  examples: webhookExamples.deliveries,

  async handle({ account, params, query }, { webhooks }) {
    const page = { page: query.page, pageSize: query.page_size }
    const asked = { ...page, state: query.status }
    const found = await webhooks.listDeliveries(account.id, params.webhook_id, asked)
    return toEnvelope(found, page, toDeliveryObject)
  },
})
