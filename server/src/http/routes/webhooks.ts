import { z } from 'zod'
import { PageQuery, pageEnvelope, pageOf, toEnvelope } from '../../wire/pagination.ts'
import { webhookExamples } from '../../wire/webhooks/examples.ts'
import { NewWebhook, WebhookChange, WebhookPath } from '../../wire/webhooks/requests.ts'
import { WebhookObject } from '../../wire/webhooks/responses.ts'
import { toWebhookObject } from '../../wire/webhooks/to-responses.ts'
import { defineRoute, type Route } from '../route.ts'

const listWebhooks = defineRoute('webhooks', {
  operationId: 'listWebhooks',
  request: 'GET /v1/webhooks',
  summary: 'List the webhooks of the account, newest first',
  query: PageQuery,
  response: {
    description: 'A page of them; never a secret.',
    body: pageEnvelope(WebhookObject).meta({ id: 'WebhookList' }),
  },
  examples: webhookExamples.list,
  handle: async ({ account, query }, { webhooks }) =>
    toEnvelope(await webhooks.list(account.id, pageOf(query)), query, toWebhookObject),
})

const createWebhook = defineRoute('webhooks', {
  operationId: 'createWebhook',
  request: 'POST /v1/webhooks',
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

const getWebhook = defineRoute('webhooks', {
  operationId: 'getWebhook',
  request: 'GET /v1/webhooks/:webhook_id',
  summary: 'Get one webhook',
  params: WebhookPath,
  response: { description: 'The webhook.', body: WebhookObject },
  failures: ['NOT_FOUND'],
  examples: webhookExamples.get,
  handle: async ({ account, params }, { webhooks }) =>
    toWebhookObject(await webhooks.get(account.id, params.webhook_id)),
})

const updateWebhook = defineRoute('webhooks', {
  operationId: 'updateWebhook',
  request: 'PATCH /v1/webhooks/:webhook_id',
  summary: 'Change a webhook',
  description: 'What is left out stays as it is.',
  params: WebhookPath,
  body: WebhookChange,
  response: { description: 'The webhook after the change.', body: WebhookObject },
  failures: ['NOT_FOUND', 'URL_NOT_ALLOWED'],
  examples: webhookExamples.update,

  async handle({ account, params, body }, { webhooks }) {
    const { url, description, event_type: eventType, is_active: isActive } = body
    const change = { url, description, eventType, isActive }
    return toWebhookObject(await webhooks.update(account.id, params.webhook_id, change))
  },
})

const deleteWebhook = defineRoute('webhooks', {
  operationId: 'deleteWebhook',
  request: 'DELETE /v1/webhooks/:webhook_id',
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

const rotateWebhookSecret = defineRoute('webhooks', {
  operationId: 'rotateWebhookSecret',
  request: 'POST /v1/webhooks/:webhook_id/rotate-secret',
  summary: 'Give a webhook a new secret',
  description: 'The one before stays valid for 24 hours: deliveries are signed with both.',
  params: WebhookPath,
  response: {
    description: 'The new secret, shown this once.',
    body: z.object({ secret: z.string() }),
  },
  failures: ['NOT_FOUND'],
  examples: webhookExamples.rotate,
  handle: async ({ account, params }, { webhooks }) => ({
    secret: await webhooks.rotateSecret(account.id, params.webhook_id),
  }),
})

const testWebhook = defineRoute('webhooks', {
  operationId: 'testWebhook',
  request: 'POST /v1/webhooks/:webhook_id/test',
  summary: 'Send a ping to a webhook now',
  description: 'Always 200, whatever the receiver did. The list of deliveries has no pings.',
  params: WebhookPath,
  response: {
    description: 'The outcome of the ping.',
    body: z
      .object({
        delivered: z.boolean(),
        http_status: z.int().nullable(),
        duration_ms: z.int(),
        error: z.string().nullable(),
      })
      .meta({ id: 'PingOutcome' }),
  },
  failures: ['NOT_FOUND'],
  examples: webhookExamples.test,

  async handle({ account, params }, { webhooks }) {
    const { outcome, durationMs, error } = await webhooks.ping(account.id, params.webhook_id)
    return {
      delivered: error === null,
      http_status: outcome.kind === 'response' ? outcome.statusCode : null,
      duration_ms: durationMs,
      error,
    }
  },
})

export const webhookRoutes: readonly Route[] = [
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
]
