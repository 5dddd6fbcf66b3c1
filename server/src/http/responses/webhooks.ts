import { z } from 'zod'
import type { Webhooks } from '../../delivery/webhooks.ts'
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookObject,
} from '../../domain/delivery/webhook.ts'
import { isoTime } from '../../runtime/iso-time.ts'

// A UUID of any version and case: an id we did not create gets 404, not 422.
const id = z.guid().toLowerCase()

export const WebhookPath = z.object({ webhook_id: id.describe('The id of a webhook.') })

export const DeliveryPath = WebhookPath.extend({
  delivery_id: id.describe('The id of a delivery.'),
})

export const toWebhookObject = (webhook: Webhook): z.input<typeof WebhookObject> => ({
  id: webhook.id,
  url: webhook.url,
  description: webhook.description,
  is_active: webhook.isActive,
  event_type: webhook.eventType,
  created_at: isoTime(webhook.createdAtMs),
  updated_at: isoTime(webhook.updatedAtMs),
})

type DeliveryView = Awaited<ReturnType<Webhooks['listDeliveries']>>['items'][number]

export const toDeliveryObject = (delivery: DeliveryView): WebhookDelivery => ({
  id: delivery.id,
  event_type: delivery.eventType,
  job_id: delivery.subjectId,
  attempt_number: delivery.attempts,
  status: delivery.state,
  http_status: delivery.lastStatusCode,
  delivered_at: delivery.deliveredAtMs === null ? null : isoTime(delivery.deliveredAtMs),
  created_at: isoTime(delivery.createdAtMs),
})

type DeliveryDetails = Awaited<ReturnType<Webhooks['getDelivery']>>

export const toDeliveryDetails = (delivery: DeliveryDetails): WebhookDeliveryDetails => ({
  ...toDeliveryObject(delivery),
  next_attempt_at: delivery.nextAttemptAtMs === null ? null : isoTime(delivery.nextAttemptAtMs),
  attempts: delivery.attemptLog.map(toAttemptObject),
  body: delivery.body && Buffer.from(delivery.body).toString('utf8'),
})

export const toAttemptObject = (
  attempt: DeliveryDetails['attemptLog'][number],
): WebhookDeliveryDetails['attempts'][number] => ({
  number: attempt.number,
  started_at: isoTime(attempt.startedAtMs),
  duration_ms: attempt.durationMs,
  http_status: attempt.statusCode,
  error: attempt.error,
  response_excerpt: attempt.answerExcerpt,
})
