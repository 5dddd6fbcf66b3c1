import { WebhookObject } from '../../../domain/delivery/webhook.ts'
import { PageQuery, pageEnvelope, toEnvelope } from '../../../domain/pagination.ts'
import { defineRoute } from '../../route.ts'
import { toWebhookObject } from '../../webhook-bodies.ts'
import { webhookExamples } from '../../webhook-examples.ts'

export const listWebhooks = defineRoute({
  operationId: 'listWebhooks',
  method: 'GET',
  path: '/v1/webhooks',
  family: 'webhooks',
  summary: 'List the webhooks of the account, newest first',
  query: PageQuery,
  response: {
    status: 200,
    description: 'A page of them; never a secret.',
    body: pageEnvelope(WebhookObject).meta({ id: 'WebhookList' }),
  },
  examples: webhookExamples.list,

  async handle({ account, query }, { webhooks }) {
    const page = { page: query.page, pageSize: query.page_size }
    return toEnvelope(await webhooks.list(account.id, page), page, toWebhookObject)
  },
})
