import type { z } from 'zod'
import type {
  DeliveryDetails,
  DeliveryView,
  LoggedAttempt,
} from '../../domain/delivery/delivery-views.ts'
import type { Webhook } from '../../domain/delivery/webhook.ts'
import { isoTime, isoTimeOrNull } from '../../runtime/iso-time.ts'
import type { WebhookDelivery, WebhookDeliveryDetails, WebhookObject } from './responses.ts'

export const toWebhookObject = (webhook: Webhook): z.input<typeof WebhookObject> => ({
  id: webhook.id,
  url: webhook.url,
  description: webhook.description,
  is_active: webhook.isActive,
  event_type: webhook.eventType,
  created_at: isoTime(webhook.createdAtMs),
  updated_at: isoTime(webhook.updatedAtMs),
})

export const toDeliveryObject = (delivery: DeliveryView): WebhookDelivery => ({
  id: delivery.id,
  event_type: delivery.eventType,
  job_id: delivery.subjectId,
  attempt_number: delivery.attempts,
  status: delivery.state,
  http_status: delivery.lastStatusCode,
  delivered_at: isoTimeOrNull(delivery.deliveredAtMs),
  created_at: isoTime(delivery.createdAtMs),
})

export const toDeliveryDetails = (delivery: DeliveryDetails): WebhookDeliveryDetails => ({
  ...toDeliveryObject(delivery),
  next_attempt_at: isoTimeOrNull(delivery.nextAttemptAtMs),
  attempts: delivery.attemptLog.map(toAttemptObject),
  body: delivery.body && Buffer.from(delivery.body).toString('utf8'),
})

export const toAttemptObject = (
  attempt: LoggedAttempt,
): WebhookDeliveryDetails['attempts'][number] => ({
  number: attempt.number,
  started_at: isoTime(attempt.startedAtMs),
  duration_ms: attempt.durationMs,
  http_status: attempt.statusCode,
  error: attempt.error,
  response_excerpt: attempt.answerExcerpt,
})
