import { z } from 'zod'
import { httpUrl, unset } from '../scrape/option-kinds.ts'
import { storableText } from '../storable-text.ts'

const eventTypes = ['extract_completed', 'batch_completed', 'crawl_completed'] as const
export const EventType = z.enum(eventTypes).meta({ id: 'EventType' })
export type EventType = z.infer<typeof EventType>

/** A subscription to events of one type. */
export interface Webhook {
  id: string
  url: string
  eventType: EventType
  description: string
  isActive: boolean
  createdAtMs: number
  updatedAtMs: number
  /** The stored URL cannot be decrypted: it is empty here, and the webhook counts as paused. */
  isUnreadable?: true
}

export const webhooksPerAccountMax = 10

const url = httpUrl(2048).describe('Where events are posted to: absolute, http or https.')
const event_type = EventType.describe('Which events to hear of.')
const description = storableText(255).describe('Free text.')
const is_active = z.boolean().describe('Whether events are sent; false pauses.')

export const NewWebhook = z
  .object({ url, event_type, description: unset(description) })
  .meta({ id: 'NewWebhook' })

export const WebhookChange = z
  .object({
    url: unset(url),
    event_type: unset(event_type),
    description: unset(description),
    is_active: unset(is_active),
  })
  .meta({ id: 'WebhookChange' })

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

const deliveryStatuses = ['pending', 'delivered', 'failed', 'skipped'] as const

export const DeliveryStatus = z.enum(deliveryStatuses).meta({ id: 'DeliveryStatus' })

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
