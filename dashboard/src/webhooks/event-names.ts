import type { Webhook } from '@trawl/sdk'

type EventName = Webhook['event_type']

/** Every event that a webhook can hear of; a new one in the API is a missing line here. */
export const eventNames = {
  extract_completed: 'A page was scraped',
  batch_completed: 'A batch has ended',
  crawl_completed: 'A crawl has ended',
} as const satisfies Record<EventName, string>
