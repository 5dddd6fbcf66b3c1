import { z } from 'zod'
import type { Webhooks } from '../delivery/webhooks.ts'
import type { Webhook, WebhookDelivery, WebhookObject } from '../domain/delivery/webhook.ts'
import { isoTime } from '../runtime/iso-time.ts'

// A UUID of any version and case: an id we did not create gets 404, not 422.
const id = z.guid().toLowerCase()

export const WebhookPath = z.object({ webhook_id: id.describe('The id of a webhook.') })

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
