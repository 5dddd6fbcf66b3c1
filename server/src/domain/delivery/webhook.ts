export const eventTypes = ['extract_completed', 'batch_completed', 'crawl_completed'] as const
export type EventType = (typeof eventTypes)[number]

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
