import type { Webhook, WebhookDelivery } from '@trawl/sdk'
import type { Tone } from '../parts/controls.tsx'
import { countText } from '../parts/value-text.ts'

export type DeliveryStatus = WebhookDelivery['status']

/** Every status, and how it looks. */
export const toneOfDelivery: Record<DeliveryStatus, Tone> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  skipped: 'plain',
}

/** How the last deliveries went, in a line. */
export function healthText(deliveries: readonly WebhookDelivery[]): string {
  if (deliveries.length === 0) return 'Nothing sent yet'
  const countOf = (status: DeliveryStatus) =>
    deliveries.filter((delivery) => delivery.status === status).length
  const others = (['pending', 'failed', 'skipped'] as const)
    .filter((status) => countOf(status) > 0)
    .map((status) => `${countText(countOf(status))} ${status}`)
  const delivered = `${countText(countOf('delivered'))} of ${countText(deliveries.length)} delivered`
  return [delivered, ...others].join(', ')
}

/** Why a webhook sends nothing; undefined while it does. */
export function pauseReason(
  webhook: Pick<Webhook, 'is_active'>,
  deliveries: readonly WebhookDelivery[],
): string | undefined {
  if (webhook.is_active) return undefined
  return findGone(deliveries)
    ? 'Its receiver answered 410 (Gone). What happens meanwhile is listed as skipped.'
    : 'What happens meanwhile is listed as skipped.'
}

/** The newest delivery whose receiver is gone: the one answer for which the service pauses a webhook. */
export const findGone = (deliveries: readonly WebhookDelivery[]): WebhookDelivery | undefined =>
  deliveries.find(({ http_status }) => http_status === 410)
