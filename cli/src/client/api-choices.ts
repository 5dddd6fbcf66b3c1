import type { Job, NewWebhook, Operations } from '@trawl/sdk'

type StatusOf<Name extends 'GET /v1/tasks' | 'GET /v1/webhooks/{webhook_id}/deliveries'> =
  NonNullable<Operations[Name]['query']['status']>

/** The names in the order of the help; the compiler finds one that is missing. */
const namesOf = <Name extends string>(names: Record<Name, true>) => Object.keys(names) as Name[]

export const taskStatuses = namesOf<StatusOf<'GET /v1/tasks'>>({
  queued: true,
  processing: true,
  completed: true,
  failed: true,
  cancelled: true,
})

export const deliveryStatuses = namesOf<StatusOf<'GET /v1/webhooks/{webhook_id}/deliveries'>>({
  pending: true,
  delivered: true,
  failed: true,
  skipped: true,
})

export const jobKinds = namesOf<Job['kind']>({ batch: true, crawl: true, map: true })

export const eventTypes = namesOf<NewWebhook['event_type']>({
  extract_completed: true,
  batch_completed: true,
  crawl_completed: true,
})
