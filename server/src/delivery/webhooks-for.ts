import type { EventType, Webhook } from '../domain/delivery/webhook.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import type { Database } from '../storage/database.ts'
import { requireStoreKey } from '../storage/secrets/key-rotation.ts'
import { listWebhooksFor } from '../storage/tables/webhooks.ts'

/**
 * The webhooks that hear of an event. One that cannot be decrypted counts as paused; a process that lacks
 * the key of the store throws instead, as another one can send the event.
 */
export async function webhooksFor(
  parts: { db: Database; sealer: Sealer },
  accountId: string,
  eventType: EventType,
): Promise<Webhook[]> {
  const webhooks = await parts.db.run(listWebhooksFor(parts.sealer, accountId, eventType))
  if (webhooks.some(({ isUnreadable }) => isUnreadable)) await requireStoreKey(parts)
  return webhooks
}
