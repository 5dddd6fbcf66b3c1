import type { Delivery } from '../domain/delivery/delivery.ts'
import { callbackBody, eventBody } from '../wire/tasks/deliveries.ts'
import { findFinished } from './results/finished-task.ts'
import type { StoredResultParts } from './results/result-store.ts'

/** The body (payload) of a delivery about a task; undefined once the result is no longer kept. */
export async function taskDeliveryBody(
  parts: StoredResultParts,
  { id, subject, webhook }: Delivery,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const form = webhook ? 'extraction' : 'embedded'
  const finished = await findFinished(parts, subject.id, () => form, signal)
  if (!finished) return undefined
  const { links } = parts
  if (!webhook) return callbackBody(finished, links)
  const event = { name: webhook.eventType, webhookId: webhook.id, deliveryId: id }
  return eventBody(finished, event, links)
}
