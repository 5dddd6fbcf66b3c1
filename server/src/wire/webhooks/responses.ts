import { z } from 'zod'
import { DeliveryStatus } from '../named-enums.ts'
import { description, event_type, is_active } from './requests.ts'

export const WebhookObject = z
  .object({
    id: z.uuid(),
    url: z.string().describe('Where events are posted to.'),
    description,
    is_active,
    event_type,
    created_at: z.string().describe('ISO 8601, UTC.'),
    updated_at: z.string().describe('ISO 8601, UTC.'),
  })
  .meta({ id: 'Webhook' })

/** One event for one webhook, however many attempts its delivery took. */
export const WebhookDelivery = z
  .object({
    id: z.uuid(),
    event_type,
    job_id: z.uuid(),
    attempt_number: z.int().describe('Attempts so far.'),
    status: DeliveryStatus,
    http_status: z.int().nullable(),
    delivered_at: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'WebhookDelivery' })

export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const DeliveryAttempt = z
  .object({
    number: z.int().describe('From 1.'),
    started_at: z.string().describe('ISO 8601, UTC.'),
    duration_ms: z.int(),
    http_status: z.int().nullable().describe('What the receiver answered; null where it did not.'),
    error: z.string().nullable().describe('Why the attempt failed.'),
    response_excerpt: z
      .string()
      .nullable()
      .describe("The first 1 KiB of the receiver's response body."),
  })
  .meta({ id: 'DeliveryAttempt' })

/** A delivery with the log of its attempts and what is posted. */
export const WebhookDeliveryDetails = WebhookDelivery.extend({
  next_attempt_at: z.string().nullable().describe('When it is tried again; null if it is not.'),
  attempts: z.array(DeliveryAttempt).describe('Oldest first, the first 100.'),
  body: z
    .string()
    .nullable()
    .describe('The request body, as it is posted; null once the result is no longer kept.'),
}).meta({ id: 'WebhookDeliveryDetails' })

export type WebhookDeliveryDetails = z.infer<typeof WebhookDeliveryDetails>
