import { PageQuery, pageEnvelope, toEnvelope } from '../../../wire/pagination.ts'
import { webhookExamples } from '../../../wire/webhooks/examples.ts'
import { WebhookObject } from '../../../wire/webhooks/responses.ts'
import { toWebhookObject } from '../../../wire/webhooks/to-responses.ts'
import { defineRoute } from '../../route.ts'

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
