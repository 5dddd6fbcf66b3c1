import { z } from 'zod'
import { DeliveryStatus } from '../../wire/named-enums.ts'
import { PageQuery, pageEnvelope, pageOf, toEnvelope } from '../../wire/pagination.ts'
import { webhookExamples } from '../../wire/webhooks/examples.ts'
import { DeliveryPath, WebhookPath } from '../../wire/webhooks/requests.ts'
import { WebhookDelivery, WebhookDeliveryDetails } from '../../wire/webhooks/responses.ts'
import { toDeliveryDetails, toDeliveryObject } from '../../wire/webhooks/to-responses.ts'
import { defineRoute, type Route } from '../route.ts'

const listWebhookDeliveries = defineRoute('webhooks', {
  operationId: 'listWebhookDeliveries',
  request: 'GET /v1/webhooks/:webhook_id/deliveries',
  takesTurns: true,
  summary: 'List the deliveries of a webhook, newest first',
  params: WebhookPath,
  query: PageQuery.extend({
    status: DeliveryStatus.optional().describe('Only deliveries in this state.'),
  }),
  response: {
    description: 'A page of them.',
    body: pageEnvelope(WebhookDelivery).meta({ id: 'WebhookDeliveryList' }),
  },
  failures: ['NOT_FOUND'],
  examples: webhookExamples.deliveries,

  async handle({ account, params, query }, { webhooks }) {
    const asked = { ...pageOf(query), state: query.status }
    const found = await webhooks.listDeliveries(account.id, params.webhook_id, asked)
    return toEnvelope(found, query, toDeliveryObject)
  },
})

const getWebhookDelivery = defineRoute('webhooks', {
  operationId: 'getWebhookDelivery',
  request: 'GET /v1/webhooks/:webhook_id/deliveries/:delivery_id',
  mayTakeLong: true,
  summary: 'Get a delivery with its attempts and its body',
  params: DeliveryPath,
  response: {
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

const redeliverWebhookDelivery = defineRoute('webhooks', {
  operationId: 'redeliverWebhookDelivery',
  request: 'POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
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

const recoverWebhookDeliveries = defineRoute('webhooks', {
  operationId: 'recoverWebhookDeliveries',
  request: 'POST /v1/webhooks/:webhook_id/recover',
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

export const webhookDeliveryRoutes: readonly Route[] = [
  listWebhookDeliveries,
  getWebhookDelivery,
  redeliverWebhookDelivery,
  recoverWebhookDeliveries,
]
