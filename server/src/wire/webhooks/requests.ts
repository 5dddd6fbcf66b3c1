import { z } from 'zod'
import { httpUrl, unset } from '../../domain/scrape/option-kinds.ts'
import { storableText } from '../../domain/storable-text.ts'
import { EventType } from '../named-enums.ts'

// A UUID of any version and case: an id we did not create gets 404, not 422.
const id = z.guid().toLowerCase()

export const WebhookPath = z.object({ webhook_id: id.describe('The id of a webhook.') })

export const DeliveryPath = WebhookPath.extend({
  delivery_id: id.describe('The id of a delivery.'),
})

const url = httpUrl(2048).describe('Where events are posted to: absolute, http or https.')
export const event_type = EventType.describe('Which events to hear of.')
export const description = storableText(255).describe('Free text.')
export const is_active = z.boolean().describe('Whether events are sent; false pauses.')

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
