import type { NewWebhook, Recover, WebhookChange } from './api.ts'
import { ApiFamily } from './api-family.ts'
import type { CallOptions, Query } from './transport.ts'

/** `/v1/webhooks`: subscriptions to events and what became of their deliveries. */
export class WebhooksApi extends ApiFamily {
  list(query?: Query<'GET /v1/webhooks'>, options?: CallOptions) {
    return this.paged('GET /v1/webhooks', { query, options }, ({ items }) => items)
  }

  /** The answer has the secret, which is not shown again. */
  create(body: NewWebhook, options?: CallOptions) {
    return this.call('POST /v1/webhooks', { body, options })
  }

  get(webhook_id: string, options?: CallOptions) {
    return this.call('GET /v1/webhooks/{webhook_id}', { path: { webhook_id }, options })
  }

  update(webhook_id: string, body: WebhookChange, options?: CallOptions) {
    return this.call('PATCH /v1/webhooks/{webhook_id}', { path: { webhook_id }, body, options })
  }

  delete(webhook_id: string, options?: CallOptions) {
    return this.call('DELETE /v1/webhooks/{webhook_id}', { path: { webhook_id }, options })
  }

  /** The old secret signs beside the new one for 24 h. */
  rotateSecret(webhook_id: string, options?: CallOptions) {
    const name = 'POST /v1/webhooks/{webhook_id}/rotate-secret'
    return this.call(name, { path: { webhook_id }, options })
  }

  /** Sends an event `ping` now and returns what the receiver did. */
  test(webhook_id: string, options?: CallOptions) {
    return this.call('POST /v1/webhooks/{webhook_id}/test', { path: { webhook_id }, options })
  }

  listDeliveries(
    webhook_id: string,
    query?: Query<'GET /v1/webhooks/{webhook_id}/deliveries'>,
    options?: CallOptions,
  ) {
    const name = 'GET /v1/webhooks/{webhook_id}/deliveries'
    return this.paged(name, { path: { webhook_id }, query, options }, ({ items }) => items)
  }

  /** A delivery with the log of its attempts and the body that is posted. */
  getDelivery(webhook_id: string, delivery_id: string, options?: CallOptions) {
    const name = 'GET /v1/webhooks/{webhook_id}/deliveries/{delivery_id}'
    return this.call(name, { path: { webhook_id, delivery_id }, options })
  }

  redeliver(webhook_id: string, delivery_id: string, options?: CallOptions) {
    const name = 'POST /v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver'
    return this.call(name, { path: { webhook_id, delivery_id }, options })
  }

  /** Sends again what failed or was skipped since a time. */
  recover(webhook_id: string, body: Recover, options?: CallOptions) {
    const name = 'POST /v1/webhooks/{webhook_id}/recover'
    return this.call(name, { path: { webhook_id }, body, options })
  }
}
